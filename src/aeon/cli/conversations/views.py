"""Prints conversations: lists, paths, trees, manifests."""

from collections.abc import Sequence
from typing import TypeAlias

from aeon.application.conversations import Alternative, Comparison, Conversation, ConversationService, messages_of
from aeon.base.json import JsonObject, readable_json
from aeon.cli.console import print_data, print_message
from aeon.cli.conversations.attached_files import as_json, words_in_prompt
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, SPEAKERS, one_line, printable, shown_text
from aeon.kernel.marks import untrusted_marks
from aeon.platform.errors import NotFoundError

_ManifestRow: TypeAlias = tuple[str, str, str, str]
"""A part of a prompt: its share of the tokens, its id, its speaker, its text."""

_TITLE_WIDTH = 60

_FIRST = 50
"""Messages at the beginning of a conversation in which its title is looked for."""

_TURN_TYPES = {"tool_result": "tool", "summary": "summary"}
_ROLES = {"user": "you", "assistant": "answer", "tool": "tool", "system": "system"}


def list_conversations(user: str, *, is_archived: bool, after: str | None, limit: int, output: OutputFormat) -> int:
    """Print a page of the user's conversations, the last changed first."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        page = service.list(status="archived" if is_archived else "active", after=after, limit=limit)
        print_whether_more(page)
        if print_as(output, [each.as_dict() for each in page.items], key="id"):
            return ExitCode.DONE
        rows = [_row(each, title_of(service, each)) for each in page.items]
    print_table(("ID", "CHANGED", "TAGS", "TITLE"), rows, "you have none; begin one with: aeon chat")
    return ExitCode.DONE


def show_tree(name: str, user: str, *, after: str | None, limit: int, output: OutputFormat) -> int:
    """Print every message and answer of a conversation. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        page = service.tree(service.find(name).id, after=after, limit=limit)
        alternatives = service.answers.settled(page.items)
        found = as_json(service, alternatives)
        abandoned = print_abandoned(service, alternatives)
    print_whether_more(page)
    if print_as(output, found, key="id"):
        return ExitCode.DONE
    rows = [
        (
            each.turn.sequence,
            f"{each.sequence}{'*' if each.is_active else ''}",
            each.id[:SHORT_ID],
            (each.responds_to_id or "")[:SHORT_ID],
            speaker_of(each),
            state_of(each, is_abandoned=each.id in abandoned),
            shown_content(each),
        )
        for each in alternatives
    ]
    print_table(("DEPTH", "N", "ID", "ANSWERS", "WHO", "STATE", "TEXT"), rows, "the conversation is empty")
    return ExitCode.DONE


def show_manifest(name: str, user: str, *, output: OutputFormat) -> int:
    """Print what an answer was made from. Raises NotFoundError for what was not made here."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        print_origin(service, service.find_alternative(name), output=output)
    return ExitCode.DONE


def print_origin(service: ConversationService, answer: Alternative, *, output: OutputFormat = "table") -> None:
    """Print the manifest of an answer; without one, the run that made it. Raises NotFoundError for what has neither."""
    try:
        manifest = service.why(answer.id)
    except NotFoundError:
        if answer.run_id is None:
            raise
        run = service.run_of(answer.id)
        if not print_as(output, run, key="runId"):
            _print_run(answer, run)
        return
    if not print_as(output, manifest, key="promptDigest"):
        print_manifest(service, answer, manifest)


def _print_run(answer: Alternative, run: JsonObject) -> None:
    """Print the Process and the steps that made an answer of which no manifest is kept."""
    named = f"answer {answer.id[:SHORT_ID]} by the Process {run['process']['name']!r}, run {run['runId']}"
    print_message(printable(f"{named}; its prompts are not kept, because no step of it is a conversation_reply"))
    rows = [(each["step"], each["attempt"], each["calls"], each["state"]) for each in run["steps"]]
    print_table(("STEP", "ATTEMPT", "CALLS", "STATE"), rows)
    print_message(f"inputs and outputs of its steps: aeon log show {run['runId']}", "next: ")


def show_prompt(name: str, user: str, *, output: OutputFormat) -> int:
    """Print the very prompts of an answer. Raises NotFoundError, ConflictError."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        requests = service.prompts(service.find_alternative(name).id)
    messages = [message for request in requests for message in messages_of(request)]
    if not messages:
        print_message("no model was asked: code alone made the answer")
    if not print_as(output, messages, key="text"):
        for each in messages:
            print_data(printable(f"[{each['role']}]\n{each['text']}\n"))
    return ExitCode.DONE


def show_comparison(first: str, second: str, user: str, *, output: OutputFormat) -> int:
    """Print how two alternatives differ. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        comparison = service.compare(service.find_alternative(first).id, service.find_alternative(second).id)
    if not print_as(output, comparison.as_dict(), key="lines"):
        print_comparison(comparison)
    return ExitCode.DONE


def print_comparison(comparison: Comparison) -> None:
    """Print the sentences of two alternatives, and what else differs."""
    for line in comparison.lines:
        print_data(printable(line.rstrip()))
    for name, (before, after) in comparison.differences.items():
        print_message(shown_text(f"{name}: {readable_json(before)} -> {readable_json(after)}"))
    if not comparison.is_one_turn:
        print_message("they stand in different turns")


def show_memory(name: str, user: str, *, output: OutputFormat) -> int:
    """Print what an answer to a message would be made from now. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        memory = service.memory(service.find_alternative(name).id)
    if print_as(output, memory.as_dict(), key="totalTokens"):
        return ExitCode.DONE
    print_message(_token_line(memory.tokens, memory.budget, memory.counter.kind))
    rows: list[tuple[int, str, str, str]] = []
    recalled = sum(each.tokens for each in memory.recalled)  # which stands before the message
    preface = [*memory.preface.notes, *memory.preface.summaries]  # which stands before the oldest one
    rows += [(each.tokens, each.id[:SHORT_ID], "note", shown_text(each.text)) for each in memory.preface.notes]
    rows += [
        (each.tokens, each.id[:SHORT_ID], summary_name(each.as_json()), shown_text(each.text))
        for each in memory.preface.summaries
    ]
    for each in memory.entries:
        alternative = each.alternative
        own = each.tokens - sum(file.tokens for file in each.files) - (recalled if each is memory.entries[-1] else 0)
        own -= sum(part.tokens for part in preface) if each is memory.entries[0] else 0
        rows.append((max(0, own), alternative.id[:SHORT_ID], speaker_of(alternative), shown_content(alternative)))
        rows += [(file.tokens, "", "attached", words_in_prompt(file.as_json())) for file in each.files]
    for each in memory.recalled:
        rows.append((each.tokens, each.source_id[:SHORT_ID], "recalled", shown_text(each.text)))
    print_table(("TOKENS", "ID", "WHO", "TEXT"), [(memory.system_tokens, "", "system", ""), *rows])
    for each in memory.left_out:
        print_message(f"left out: {each.entry.alternative.id[:SHORT_ID]} ({_words(each.reason)})")
    return ExitCode.DONE


def create_conversation(user: str, title: str | None, *, tags: list[str], pinned: bool, budget: int | None) -> int:
    """Create an empty conversation, and print its id. Raises RuleError."""
    with workspace_session(user) as workspace:
        made = workspace.conversations.create(title, tags=tags, pinned=pinned, context_budget=budget)
    print_data(made.id)
    print_message(f"say something in it: aeon chat -c {made.id[:SHORT_ID]}", "next: ")
    return ExitCode.DONE


def change_conversation(name: str, user: str, wanted: JsonObject, expect: int | None) -> int:
    """Change a conversation, and print its line. Raises RuleError, ConflictError."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        changed = service.change(service.find(name).id, wanted, expected_version=expect)
        print_data("  ".join(str(cell) for cell in _row(changed, title_of(service, changed)) if cell))
    return ExitCode.DONE


def fork_conversation(name: str, user: str, title: str | None) -> int:
    """Begin a conversation that continues from an alternative, and print its id."""
    with workspace_session(user) as workspace:
        service = workspace.conversations
        made = service.fork(service.find_alternative(name).id, title=title)
    print_data(made.id)
    print_message(f"go on with: aeon chat -c {made.id[:SHORT_ID]}", "next: ")
    return ExitCode.DONE


def find_conversation_or_message(service: ConversationService, name: str) -> tuple[Conversation, Alternative | None]:
    """Return the named conversation; or that of the named message, and the message."""
    try:
        return service.find(name), None
    except NotFoundError as not_found:
        try:
            message = service.find_alternative(name)
        except NotFoundError:
            raise not_found from None
        return service.get(message.conversation_id), message


def heading(service: ConversationService, conversation: Conversation) -> str:
    """The line above a conversation."""
    parts = [f"conversation {conversation.id[:SHORT_ID]}: {title_of(service, conversation)}"]
    if conversation.forked_from_id is not None:
        parts.append(f"forked from {conversation.forked_from_id[:SHORT_ID]}")
    parts += [
        word
        for word, holds in (("archived", conversation.status == "archived"), ("pinned", conversation.pinned))
        if holds
    ]
    return ", ".join(parts)


def title_of(service: ConversationService, conversation: Conversation) -> str:
    """Its title; without one, the beginning of its first visible message."""
    if conversation.title is not None:
        return one_line(conversation.title, _TITLE_WIDTH)
    path = service.path(conversation.id, limit=_FIRST, before=_FIRST + 1)
    contents = (each.content for each in path if each.turn.speaker != "system")
    first = next((content for content in contents if content and content.strip()), None)
    if first is None and any(each.forgotten_at is not None for each in path):
        return "(erased)"
    return one_line(first, _TITLE_WIDTH) if first is not None else "(empty)"


def print_abandoned(service: ConversationService, alternatives: Sequence[Alternative]) -> frozenset[str]:
    """Say what to do about answers that nobody makes any more, and return their ids."""
    abandoned = service.answers.list_abandoned(alternatives)
    for each in alternatives:
        if each.id in abandoned:
            print_message(f"the maker of the answer {each.id[:SHORT_ID]} is gone", "note: ")
            place = each.conversation_id[:SHORT_ID]
            go_on = f"aeon chat -c {place} or a worker goes on with it"
            print_message(f"{go_on}; or end it: aeon conversation stop {each.id[:SHORT_ID]}", "next: ")
    return abandoned


def speaker_of(alternative: Alternative) -> str:
    """The speaker in a word; of an import, its own role, which may differ from that of its turn."""
    turn = alternative.turn
    role = str(alternative.imported.get("role"))
    return _ROLES.get(role) or _TURN_TYPES.get(turn.turn_type) or SPEAKERS[turn.speaker]


def marks_of(service: ConversationService, alternative: Alternative, *, is_abandoned: bool) -> str:
    """What a reader must know of an alternative: whether it is stale, stopped or failed, and how many others exist."""
    others = len(service.siblings(alternative.id))
    state = state_of(alternative, is_abandoned=is_abandoned)
    marks = [state] if state else []
    if alternative.imported.get("isHidden"):
        marks.append("hidden")
    if others > 1:
        marks.append(f"{alternative.sequence} of {others}")
    return ", ".join(marks)


def state_of(alternative: Alternative, *, is_abandoned: bool = False) -> str:
    """The state of an alternative that is not simply there; an abandoned one is made by nobody any more."""
    words = ["stale"] if alternative.is_stale else []
    if is_abandoned:
        words.append("its maker is gone")
    elif alternative.state != "complete":
        words.append(alternative.state)
    if alternative.is_cut_off:
        words.append("cut off")
    if doubts_of(alternative):
        words.append("doubtful")
    if alternative.forgotten_at is not None:
        words.append("erased")
    return " ".join(words)


def full_content(alternative: Alternative) -> str:
    """The text of an alternative; in its place, why there is none."""
    if alternative.content is not None:
        return alternative.content
    if alternative.forgotten_at is not None:
        return "[erased]"
    return "[is being made]" if alternative.state == "generating" else f"[failed: {alternative.failure}]"


def shown_content(alternative: Alternative) -> str:
    """The text of an alternative on one line."""
    return shown_text(full_content(alternative))


def print_manifest(service: ConversationService, answer: Alternative, manifest: JsonObject) -> None:
    """Print what an answer was made from: its parts with their shares of the tokens."""
    tokens: JsonObject = manifest["tokens"]
    print_message(
        f"answer {answer.id[:SHORT_ID]} by {_maker_of(answer, manifest)}, run {answer.run_id}; "
        + _token_line(tokens["total"], tokens["budget"], tokens["kind"], answer.usage)
    )
    print_table(("SHARE", "ID", "WHO", "TEXT"), _manifest_rows(service, manifest))
    if recalled := [each for each in manifest.get("recalled", []) if "entity" not in each]:
        first = recalled[0].get("fact") or recalled[0]["alternative"]
        print_message(f"if what was recalled is wrong: aeon knowledge reject {first[:SHORT_ID]}", "next: ")
    for each in manifest.get("toolCalls", []):
        print_message(shown_text(f"tool {each['tool']} {readable_json(each['arguments'])}: {_outcome(each)}"))
    for mark in answer.marks:
        print_message(printable(mark), "mark: ")
    if manifest.get("isErased"):
        print_message("something that it was made from was erased", "note: ")
    for each in manifest["leftOut"]:
        print_message(f"left out: {each['alternative'][:SHORT_ID]}, {each['tokens']} tokens ({_words(each['reason'])})")


def _manifest_rows(service: ConversationService, manifest: JsonObject) -> list[_ManifestRow]:
    """What entered the prompts: instructions or requests, messages with what is attached, and what was recalled."""
    total: int = manifest["tokens"]["total"]
    prompts: list[JsonObject] | None = manifest.get("prompts")
    recalled: list[JsonObject] = manifest.get("recalled", [])
    rows = [(_share(manifest["system"]["tokens"], total), "", "system", manifest["system"]["text"])]
    if prompts is not None:
        rows = [
            (_share(each.get("tokens", 0), total), "", f"request {number}", shown_text(each["text"]))
            for number, each in enumerate(prompts, 1)
        ]
    within = sum(each["tokens"] for each in recalled)  # of the last message, before which it stands
    preface = [*manifest.get("notes", []), *manifest.get("summaries", [])]  # before the oldest one, and of its tokens
    texts = service.preface_texts(manifest)
    for each in preface:
        name = summary_name(each) if "level" in each else "note"
        text = texts.get(each["episode"])
        rows.append((_share(each["tokens"], total), each["id"][:SHORT_ID], name, shown_text(text or "erased")))
    for each in manifest["entries"]:
        is_last, is_first = each is manifest["entries"][-1], each is manifest["entries"][0]
        own = 0 if prompts is not None else each["tokens"] - (within if is_last else 0)
        own -= sum(part["tokens"] for part in preface) if is_first else 0
        rows += _entry_rows(service, each, own, total)
    return [*rows, *(_recalled_row(service, each, total) for each in recalled)]


def _entry_rows(service: ConversationService, entry: JsonObject, tokens: int, total: int) -> list[_ManifestRow]:
    """A message with its `tokens`, and its attachments, whose tokens are among them."""
    alternative = service.alternative(entry["alternative"])
    who = f"{SPEAKERS[entry['speaker']]}{' (origin)' if entry['isReference'] else ''}"
    files: list[JsonObject] = entry.get("attachments", [])
    own = max(0, tokens - sum(file["tokens"] for file in files))
    rows = [(_share(own, total), alternative.id[:SHORT_ID], who, shown_content(alternative))]
    return rows + [(_share(file["tokens"], total), "", "attached", words_in_prompt(file)) for file in files]


def summary_name(summary: JsonObject) -> str:
    """What a summary is called in a list: its level, how many messages it stands for, and whether code made it."""
    maker = ", by code" if summary["isExtractive"] else ""
    return f"summary {summary['level']} of {summary['episodes']}{maker}"


def _recalled_row(service: ConversationService, recalled: JsonObject, total: int) -> _ManifestRow:
    """What was recalled: its tokens are among those of the message before which it stood."""
    source = next(recalled[kind] for kind in ("alternative", "fact", "entity") if kind in recalled)
    text = service.recalled_text(recalled)
    return _share(recalled["tokens"], total), source[:SHORT_ID], "recalled", shown_text(text or "erased")


def _words(reason: str) -> str:
    return reason.replace("_", " ")


def _maker_of(answer: Alternative, manifest: JsonObject) -> str:
    return answer.model or ("code alone" if manifest.get("prompts") == [] else "an unknown model")


def _outcome(call: JsonObject) -> str:
    return readable_json(call["result"]) if call["state"] == "done" else f"{call['state']} {call.get('result', '')}"


def doubts_of(alternative: Alternative) -> list[str]:
    """The marks of an answer that are reasons not to trust it (core 17)."""
    return [mark for _, mark in untrusted_marks({"": alternative.marks})]


def _token_line(total: int, budget: int, kind: str, usage: JsonObject | None = None) -> str:
    line = f"{total:,} of {budget:,} tokens ({kind})"
    reported, cached = (usage or {}).get("prompt_tokens"), (usage or {}).get("cachedTokens")
    if reported:
        line += f", the model counted {reported:,}"
    return f"{line}, of which it had read {cached:,} before" if cached else line


def _share(tokens: int, total: int) -> str:
    return f"{round(100 * tokens / total)} %" if tokens and total else ""


def _row(conversation: Conversation, title: str) -> tuple[str, str, str, str]:
    pin = "+ " if conversation.pinned else ""
    return conversation.id[:SHORT_ID], conversation.updated_at[:19], ",".join(conversation.tags), f"{pin}{title}"
