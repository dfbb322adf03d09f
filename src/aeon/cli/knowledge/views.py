"""Prints what is known: an entity with its facts, lists, and how far the background is."""

from collections.abc import Sequence
from pathlib import Path

from aeon.application.conversations import ConversationService
from aeon.application.knowledge import OWN_NAMES, EntityView, Fact
from aeon.application.knowledge_search import published_passage
from aeon.application.workspace import Workspace
from aeon.base.json import Json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.diagrams import write_drawing
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, SPEAKERS, printable

_SHOWN_SOURCES = 3


def show_entity(name: str, user: str, *, output: OutputFormat) -> int:
    """Print what is known of a name, or of the user. Raises NotFoundError."""
    with workspace_session(user) as workspace:
        if name.casefold() in OWN_NAMES:
            return _show_own(workspace, output)
        view = workspace.knowledge.show(name)
        if not print_as(output, view.as_dict()):
            print_entity(workspace.conversations, view)
    return ExitCode.DONE


def print_entity(conversations: ConversationService, view: EntityView) -> None:
    """Print what is known of a name, with the messages that say it."""
    _print_heading(view)
    _print_facts(conversations, view.facts)
    _print_rest(view)


def print_own(conversations: ConversationService, facts: Sequence[Fact]) -> None:
    """Print what is known about the user, with the messages that say it."""
    if not facts:
        print_message("nothing is known about you yet")
    _print_facts(conversations, facts)


def describe_entity(name: str, user: str, *, output: OutputFormat) -> int:
    """Let the model describe an entity, and print it. Raises NotFoundError, RuleError, ConflictError."""
    with workspace_session(user) as workspace:
        view = workspace.knowledge.describe(name)
        if not print_as(output, view.as_dict()):
            _print_heading(view)
    return ExitCode.DONE


def list_entities(user: str, limit: int, *, output: OutputFormat) -> int:
    """Print what is known by name, the most mentioned first."""
    with workspace_session(user) as workspace:
        found = workspace.knowledge.list_entities(limit=limit).items
    data: list[Json] = [{**each.entity.as_dict(), "mentions": each.mentions} for each in found]
    if not print_as(output, data):
        rows = [(each.entity.name, each.entity.category, each.mentions, each.entity.id[:SHORT_ID]) for each in found]
        print_table(
            ("NAME", "CATEGORY", "MENTIONS", "ID"),
            rows,
            "nothing is known yet; it is found in what you say in `aeon chat`",
        )
    return ExitCode.DONE


def list_candidates(user: str, limit: int, *, output: OutputFormat) -> int:
    """Print facts on which the user has not decided, newest first."""
    with workspace_session(user) as workspace:
        facts = workspace.knowledge.list_candidates(limit)
    if not print_as(output, [each.as_dict() for each in facts], key="uuid"):
        rows = [(each.id[:SHORT_ID], "on screen" if each.is_visible else "another branch", each.text) for each in facts]
        print_table(("FACT", "WHERE", "WHAT"), rows, "no fact waits for a decision")
        if facts:
            print_message(f"decide with: aeon knowledge confirm {facts[0].id[:SHORT_ID]}, or reject", "next: ")
    return ExitCode.DONE


def search(text: str, user: str, limit: int, budget: int, *, output: OutputFormat) -> int:
    """Print passages about a text, best first. Raises LLMError if the embedding model does not answer."""
    with workspace_session(user) as workspace:
        found = workspace.knowledge.search(text, limit=limit, budget=budget)
    if not print_as(output, [published_passage(each) for each in found]):
        if not found:
            print_message("nothing was found; fewer or other words may find more")
        for each in found:
            place = "" if each.alternative_id is None else f"  message {each.alternative_id[:SHORT_ID]}"
            print_data(printable(f"{each.at[:10]}  {SPEAKERS.get(each.speaker, each.speaker)}{place}"))
            print_data(printable(f"    {' '.join(each.text.split())}"))
    return ExitCode.DONE


def draw_graph(file: Path | None, user: str) -> int:
    """Write an SVG of names and facts. Raises InputError if the file cannot be written."""
    with workspace_session(user) as workspace:
        return write_drawing(workspace.knowledge.draw(), file)


def show_status(changes: dict[str, str], user: str, *, output: OutputFormat) -> int:
    """Print how far the background is, after changes of what it may do."""
    with workspace_session(user) as workspace:
        service = workspace.knowledge
        if changes:
            service.configure(changes)
        status = service.status()
    if print_as(output, status.as_dict()):
        return ExitCode.DONE
    queue, settings = status.queue, status.settings
    since = f", the oldest since {queue.oldest[:16].replace('T', ' ')}" if queue.oldest else ""
    print_data(f"episodes: {queue.episodes}; {queue.waiting} wait for extraction{since}")
    if queue.failed:
        print_data(f"failed: {queue.failed}")
    counts = ", ".join(f"{number} {state}" for state, number in status.facts.items()) or "none"
    print_data(f"facts: {counts}")
    print_data(
        f"extraction: {settings.extraction}; compression: {settings.compression}; "
        f"introspection: {settings.introspection}; enrichment: {settings.enrichment}"
    )
    return ExitCode.DONE


def print_fact(fact: Fact) -> None:
    """Print a fact in one line."""
    print_data(printable(f"{fact.id[:SHORT_ID]}  {_word_of(fact)}  {fact.text}"))


def _show_own(workspace: Workspace, output: OutputFormat) -> int:
    facts = workspace.knowledge.facts_about_user()
    if not print_as(output, [each.as_dict() for each in facts], key="uuid"):
        print_own(workspace.conversations, facts)
    return ExitCode.DONE


def _print_heading(view: EntityView) -> None:
    entity = view.entity
    category = f", {view.category}" if view.category else ""
    seen = sum(each.source.is_visible for each in view.mentions)
    count = f"mentioned in {len(view.mentions)} message(s)"
    elsewhere = "" if seen == len(view.mentions) else f", {seen} of them on screen"
    files = sum(each.is_in_file for each in view.mentions)
    attached = f", in an attached file of {files}" if files else ""
    print_data(printable(f"{entity.name}{category}  ({entity.id[:SHORT_ID]}; {count}{elsewhere}{attached})"))
    if view.absorbed:
        print_data(printable(f"also: {', '.join(each.name or each.id for each in view.absorbed)}"))
    if entity.summary:
        print_data(printable(entity.summary))
    if view.description is not None:
        print_data(printable(f"by the model, of {len(view.description.episodes)} messages: {view.description.text}"))
    if view.facets:
        print_data(printable("; ".join(f"{name}: {', '.join(values)}" for name, values in view.facets.items())))


def _print_facts(conversations: ConversationService, facts: Sequence[Fact]) -> None:
    for fact in facts:
        print_fact(fact)
        shown = sorted(fact.assertions, key=lambda each: (not each.source.is_visible, each.source.at))
        for assertion in shown[:_SHOWN_SOURCES]:
            source = assertion.source
            place = _place_of(conversations, source.alternative_id)
            branch = "" if source.is_visible else ", on another branch"
            print_data(printable(f"          {source.at[:16].replace('T', ' ')}  {place}{branch}"))
    open_ = next((each for each in facts if each.state == "candidate" and each.is_visible), None)
    if open_ is not None:
        print_message(f"aeon knowledge confirm {open_.id[:SHORT_ID]}, reject or forget it", "next: ")


def _place_of(conversations: ConversationService, alternative: str | None) -> str:
    if alternative is None:
        return "you wrote it down"
    found = conversations.alternative(alternative)
    title = conversations.get(found.conversation_id).title
    return f"message {alternative[:SHORT_ID]}" + (f" in: {title}" if title else "")


def _print_rest(view: EntityView) -> None:
    if not view.facts:
        print_message("no fact is known of it")
    if view.similar:
        names = ", ".join(each.name or each.id for each in view.similar)
        print_message(printable(f"may be the same: {names}; if so: aeon knowledge merge"), "note: ")


def _word_of(fact: Fact) -> str:
    if fact.state == "rejected":
        return "wrong     "
    if not fact.is_visible:
        return "off screen"
    if not fact.holds:
        return "no longer "
    return "confirmed " if fact.state == "confirmed" else "said      "
