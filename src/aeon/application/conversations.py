"""`ConversationService`: everything that a user does with conversations, for every door."""

import builtins
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from aeon.application.answers import ANSWER_INPUTS, AnswerFollower, AnswerService
from aeon.application.argument_types import read_record, require_argument, require_list, require_text
from aeon.application.pages import Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.application.reply_forms import default_reply_form
from aeon.application.run_reader import NEWEST, RunReader
from aeon.application.runs import RunService
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.bootstrap.platform import Platform
from aeon.bootstrap.runs import platform_runs
from aeon.bootstrap.texts import attachment_of_bytes, attachment_of_file
from aeon.llm.interface import LLMRequest
from aeon.platform.conversations.attachments import (
    MAX_ATTACHMENT,
    MAX_ATTACHMENTS,
    Attachment,
    NewAttachment,
    checked_attachments,
)
from aeon.platform.conversations.comparison import Comparison, compare_alternatives
from aeon.platform.conversations.model import (
    Alternative,
    Conversation,
    ConversationChange,
    ConversationStatus,
    NewConversation,
)
from aeon.platform.conversations.said_before import Said
from aeon.platform.conversations.turns import Executor, checked_content
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.memory.working_memory import WorkingMemory
from aeon.platform.processes.model import Process
from aeon.platform.search.messages import MessageFilter, MessageHit
from aeon.platform.store import StoreUnavailableError

if TYPE_CHECKING:
    from aeon.application.conversation_erasing import ConversationErasing
    from aeon.application.conversation_summaries import ConversationSummaries
    from aeon.application.conversation_titles import ConversationTitles
    from aeon.application.conversation_transfer import ConversationTransfer

__all__ = [
    "ANSWER_INPUTS",
    "MAX_ATTACHMENT",
    "MAX_ATTACHMENTS",
    "Alternative",
    "AnswerFollower",
    "Attachment",
    "AttachmentSource",
    "Comparison",
    "Conversation",
    "ConversationService",
    "MessageFilter",
    "MessageHit",
    "NewAttachment",
    "Said",
    "StoreUnavailableError",
    "WorkingMemory",
    "messages_of",
]

AttachmentSource: TypeAlias = Path | tuple[str, bytes] | NewAttachment
"""What to attach: a file's path, a name and bytes, or what `read_attachment` has returned."""

_LIST_LIMIT = 50
_SEARCH_LIMIT = 20
_MATCHES = 9

_EXCERPT = 1000
"""Characters of a content in a window of a tree."""

_WINDOW = 190_000
"""Bytes of a window of a tree, without the list around it."""


class ConversationService:
    """The conversations of one user. Threads may share it.

    A message and an answer are alternatives of turns in a tree, of which nothing is ever changed or removed. An answer
    is made by a run of a Process. Every method raises StoreError, and NotFoundError for what the user may not see;
    methods that make answers also raise what `RunService.start` does.
    """

    def __init__(
        self, platform: Platform, user: str, runs: Callable[[], RunService], context: int, folder: Path = Path()
    ) -> None:
        """The caller closes `platform`. `runs` opens the engine; `context` is the model's, in tokens.

        Paths of attachments are relative to `folder`.
        """
        self._folder = folder
        self._platform = platform
        self._user = user
        self._runs = runs
        self._context = context
        self.answers = AnswerService(platform, user, runs)

    @cached_property
    def transfer(self) -> "ConversationTransfer":
        """Imports of other products' conversations and Aeon's own, and exports."""
        from aeon.application.conversation_transfer import ConversationTransfer

        return ConversationTransfer(self._platform, self._user)

    @cached_property
    def titles(self) -> "ConversationTitles":
        """Titles that a model makes for conversations without one."""
        from aeon.application.conversation_titles import ConversationTitles

        return ConversationTitles(self._platform, self._user, self._runs)

    @cached_property
    def summaries(self) -> "ConversationSummaries":
        """Summaries that a model makes of what no longer fits the prompts of a conversation."""
        from aeon.application.conversation_summaries import ConversationSummaries

        return ConversationSummaries(self._platform, self._user, self._runs)

    @cached_property
    def erasing(self) -> "ConversationErasing":
        """Erases messages: `forget`, and for operators `redact`."""
        from aeon.application.conversation_erasing import ConversationErasing

        return ConversationErasing(self._platform, self._user, self, self._runs)

    # Conversations

    def create(self, title: str | None = None, *, key: str | None = None, **fields: object) -> Conversation:
        """Create an empty conversation; `fields` are those of `NewConversation`. Raises RuleError."""
        new = NewConversation.parsed({"title": title, **fields})  # pyright: ignore[reportArgumentType]  # checked there
        return self._platform.conversations.create(new, self._request(key))

    def get(self, id_: str) -> Conversation:
        """Return a conversation by its id."""
        return self._platform.conversations.get(self._user, id_)

    def find(self, name: str) -> Conversation:
        """Return the conversation that a person named: an id, the beginning of one, or `last`.

        Raises InputError if several ids begin like that.
        """
        if name == NEWEST:
            newest = self._platform.conversations.list_newest(self._user, limit=1)
            if not newest and self._platform.conversations.list_newest(self._user, status="archived", limit=1):
                raise NotFoundError("All your conversations are archived.", next_step="Name one by its id.")
            if not newest:
                raise NotFoundError("You have no conversations.", next_step="Begin one.")
            return newest[0]
        matching = self._platform.conversations.list_matching(self._user, name, _MATCHES)
        if len(matching) > 1 and name not in [each.id for each in matching]:
            raise _ambiguous(name, [each.id for each in matching])
        return matching[0] if len(matching) == 1 else self.get(name)

    def find_alternative(self, name: str) -> Alternative:
        """Return the message or answer that a person named: an id, the beginning of one, or `last` for the last answer.

        Raises InputError if several ids begin like that.
        """
        if name == NEWEST:
            answers = [each for each in self.path(self.find(NEWEST).id) if each.turn.speaker == "agent"]
            if not answers:
                raise NotFoundError("Nothing was answered yet.", next_step="Ask something.")
            return answers[-1]
        matching = self._platform.turns.list_matching(self._user, name, _MATCHES)
        if len(matching) > 1 and name not in [each.id for each in matching]:
            raise _ambiguous(name, [each.id for each in matching])
        return matching[0] if len(matching) == 1 else self.alternative(name)

    def list(
        self, *, status: ConversationStatus = "active", after: str | None = None, limit: int = _LIST_LIMIT
    ) -> Page[Conversation]:
        """Return a page of the user's conversations, the last changed first. Raises RuleError."""
        before = None if after is None else decode_cursor(after, str, str)
        position = None if before is None else (str(before[0]), str(before[1]))
        found = self._platform.conversations.list_newest(
            self._user, status=status, before=position, limit=checked_limit(limit) + 1
        )
        last = found[min(limit, len(found)) - 1] if found else None
        return page_of(found, limit, "" if last is None else encode_cursor([last.updated_at, last.id]))

    def change(
        self,
        id_: str,
        change: ConversationChange | JsonObject,
        *,
        key: str | None = None,
        expected_version: int | None = None,
    ) -> Conversation:
        """Rename, tag, pin, archive or limit a conversation. Raises RuleError, ConflictError."""
        parsed = read_record(change, ConversationChange, "change")
        return self._platform.conversations.change(id_, parsed, self._request(key, expected_version))

    def forks(self, id_: str) -> "builtins.list[Conversation]":
        """Return the conversations that were forked from one."""
        return self._platform.conversations.list_forks(self._user, id_)

    # The tree

    def alternative(self, id_: str) -> Alternative:
        """Return a message or an answer."""
        return self._platform.turns.get(self._user, id_)

    def path(self, conversation: str, *, limit: int = 200, before: int | None = None) -> "builtins.list[Alternative]":
        """Return what is visible: the newest alternatives of the path that ends at the tip, oldest first.

        At most `limit`; with `before`, the newest of those whose number (their depth) is smaller than that.
        """
        tip = self.get(conversation).tip_id
        return [] if tip is None else self._platform.turns.path(self._user, tip, limit, before=before)

    def visible(self, conversation: str, number: int) -> Alternative | None:
        """Return the visible message or answer with this number, which is its depth; None if there is none."""
        found = self.path(conversation, limit=1, before=number + 1)
        return found[0] if found and found[0].turn.sequence == number else None

    def before_fork(self, conversation: Conversation, *, limit: int = 20) -> "builtins.list[Alternative]":
        """Return the newest messages that a fork continues from, oldest first; none where they are gone."""
        origin = conversation.origin_alternative_id
        if origin is None:
            return []
        try:
            return self._platform.turns.path(self._user, origin, limit)
        except NotFoundError:
            return []

    def siblings(self, id_: str) -> "builtins.list[Alternative]":
        """Return all alternatives of the same turn, newest first."""
        return self._platform.turns.list_siblings(self._user, id_)

    def responses(self, id_: str) -> "builtins.list[Alternative]":
        """Return all alternatives that respond to one, newest first."""
        return self._platform.turns.list_responses(self._user, id_)

    def compare(self, first: str, second: str) -> Comparison:
        """Return how two alternatives differ: what they say, and what made them."""
        return compare_alternatives(self.alternative(first), self.alternative(second))

    def count_below(self, id_: str) -> int:
        """Return how many messages and answers stand below one, at most 10,000."""
        return self._platform.turns.count_below(self._user, id_)

    def tree(self, conversation: str, *, after: str | None = None, limit: int = 200) -> Page[Alternative]:
        """Return a window of the whole tree, by depth: `limit` alternatives, or fewer if they have more than 200 KB.

        Contents are cut at 1,000 characters; `alternative` returns a whole one. Raises RuleError.
        """
        place = (0, "", 0) if after is None else tuple(decode_cursor(after, int, str, int))
        found = self._platform.turns.tree(
            self._user,
            self.get(conversation).id,
            place,
            checked_limit(limit) + 1,  # pyright: ignore[reportArgumentType]  # decoded so
        )
        shown = [each._replace(content=_excerpt(each.content)) for each in found]
        fitting = min(limit, _count_fitting(shown))
        last = shown[min(fitting, len(shown)) - 1] if shown else None
        cursor = "" if last is None else encode_cursor([last.turn.sequence, last.turn.id, last.sequence])
        return page_of(shown, fitting, cursor)

    def say(
        self,
        conversation: str,
        content: str,
        *,
        after: str | None = None,
        attachments: Sequence[AttachmentSource] = (),
        key: str | None = None,
        expected_version: int | None = None,
        earlier: Sequence[Said] = (),
    ) -> Alternative:
        """Add a message after an alternative, the tip by default, with what is attached to it.

        `earlier` are the messages that the caller believes to stand before it. Raises RuleError, also if they do not;
        ConflictError; and InputError for what cannot be attached or images that the model cannot see.
        """
        require_text(content, "content")
        attached = self._read_attachments(attachments)
        request = self._request(key, expected_version)
        return self._platform.turns.append(conversation, content, request, after, attached, earlier)

    def edit(
        self,
        message: str,
        content: str,
        *,
        attachments: Sequence[AttachmentSource] | None = None,
        key: str | None = None,
        expected_version: int | None = None,
    ) -> Alternative:
        """Add another alternative of a message, and switch to it. It keeps the attachments unless others are given.

        Raises like `say`.
        """
        require_text(content, "content")
        attached = None if attachments is None else self._read_attachments(attachments)
        return self._platform.turns.edit(message, content, self._request(key, expected_version), attached)

    def read_attachment(self, path: Path) -> NewAttachment:
        """Read a file to attach: once, so that later changes of the file change nothing.

        Raises InputError for what is not a file or no model can read, for more than 10 MiB, and for an image that the
        model cannot see; and MissingExtraError for a PDF without the extra.
        """
        (read,) = self._read_attachments([path])
        return read

    def attachments(self, alternatives: Iterable[str]) -> dict[str, "builtins.list[Attachment]"]:
        """Return the attachments of messages, by message; those without any are not in it."""
        return self._platform.attachments.of(self._user, alternatives)

    def attached(self, message: str, n: int) -> tuple[Attachment, bytes]:
        """Return attachment number `n` of a message, and its bytes. Raises NotFoundError, also for an erased one."""
        found = self.attachments([self.alternative(message).id]).get(message, [])
        for each in found:
            if each.n == n and each.digest is not None:
                return each, self._platform.attachments.content(self._user, each.digest)
        raise NotFoundError(f"The message has no attachment {n}.", next_step="Look at the message.")

    def activate(self, id_: str, *, key: str | None = None, expected_version: int | None = None) -> Alternative:
        """Switch to an alternative; every ancestor follows. Raises ConflictError."""
        return self._platform.turns.activate(id_, self._request(key, expected_version))

    def fork(self, id_: str, *, title: str | None = None, key: str | None = None) -> Conversation:
        """Make a new conversation that continues from an alternative. Raises ConflictError."""
        return self._platform.turns.fork(id_, title, self._request(key))

    def path_to(self, id_: str, *, limit: int = 200, before: int | None = None) -> "builtins.list[Alternative]":
        """Return the path that ends at an alternative, on whatever branch it stands, oldest first; nothing is switched.

        At most `limit` of it, as `path` does.
        """
        return self._platform.turns.path(self._user, self.alternative(id_).id, limit, before=before)

    def search(
        self, text: str, only: MessageFilter | None = None, *, limit: int = _SEARCH_LIMIT
    ) -> "builtins.list[MessageHit]":
        """Return the titles, messages and answers with the text's words, best first, on and off the path (platform 26).

        Any text is a query; the last word may be the beginning of a word. A conversation's id in `only` may be any name
        that `find` takes. Raises RuleError for a limit that is not from 1 to 1,000.
        """
        require_text(text, "text")
        chosen = only or MessageFilter()
        if chosen.conversation is not None:
            chosen = chosen._replace(conversation=self.find(chosen.conversation).id)
        return self._platform.message_search.search(self._user, text, chosen, checked_limit(limit))

    # Answers

    def ask(
        self,
        conversation: str | None,
        content: str,
        *,
        attachments: Sequence[AttachmentSource] = (),
        process: str | None = None,
        key: str | None = None,
        earlier: Sequence[Said] = (),
    ) -> AnswerFollower:
        """Add a message after the tip, and begin its answer; without a conversation, in a new one.

        Nothing is added if the message is not valid, if the conversation does not end with the messages `earlier`, or
        if no Process can answer. Raises like `say` and `reply`.
        """
        require_text(content, "content")
        preferred = None if conversation is None else self.get(conversation).default_process_id
        chosen = self.answers.choose_process(process, preferred)
        checked_content(content)
        attached = self._read_attachments(attachments)
        keys = [None if key is None else f"{key}:{part}" for part in ("conversation", "message", "answer")]
        place = self.create(key=keys[0]).id if conversation is None else conversation
        message = self.say(place, content, attachments=attached, key=keys[1], earlier=earlier)
        begun = self._platform.turns.begin_answer(message.id, _executor_of(chosen), self._request(keys[2]))
        return self.answers.start(begun, chosen)

    def reply(self, message: str, *, process: str | None = None, key: str | None = None) -> AnswerFollower:
        """Begin an answer to a message, by a Process: the given one, else that of the last answer, else the default.

        Raises RuleError for a Process that is disabled or needs other inputs, and ConflictError.
        """
        conversation = self.get(self.alternative(message).conversation_id)
        chosen = self.answers.choose_process(process, conversation.default_process_id)
        begun = self._platform.turns.begin_answer(message, _executor_of(chosen), self._request(key))
        return self.answers.start(begun, chosen)

    def regenerate(self, answer: str, *, process: str | None = None, key: str | None = None) -> AnswerFollower:
        """Begin another alternative of an answer, by the Process that made it, or another one (platform 44).

        Also retries an answer that failed. Raises like `reply`.
        """
        before = self.alternative(answer)
        chosen = self.answers.choose_process(process, before.process_id)
        begun = self._platform.turns.regenerate(answer, _executor_of(chosen), self._request(key))
        return self.answers.start(begun, chosen)

    def follow(self, answer: str) -> AnswerFollower:
        """Follow an answer from its first piece."""
        return self.answers.follow(answer)

    def stop(self, answer: str) -> Alternative:
        """Stop an answer that is being made; what was written is its content, marked as stopped (platform 22)."""
        return self.answers.stop(answer)

    def recover(self) -> "builtins.list[Alternative]":
        """Take up the user's answers whose makers have died, and settle those that have ended.

        An answer that cannot be taken up has failed, and says why. Erasures that were interrupted are completed.
        Returns the answers that are still being made.
        """
        with suppress(StoreUnavailableError):  # the next start tries again
            self.erasing.finish()
        for made in self.answers.settle_all():
            self.answers.take_up(made.id)
        return self._platform.turns.list_generating(self._user)

    # What answers are made from

    def memory(self, id_: str) -> WorkingMemory:
        """Return what an answer to an alternative would be made from now."""
        form = default_reply_form(self._platform, self._context)
        return self._platform.memory.assemble(self._user, id_, form, self._platform.count_tokens)

    def why(self, answer: str) -> JsonObject:
        """Return the manifest of an answer: what it was made from, with the tokens of each part (platform 25).

        Only steps `conversation_reply` keep one: see `run_of` for others, for which this raises NotFoundError.
        """
        return self._platform.memory.manifest(self._user, answer)

    def recalled_text(self, kept: JsonObject) -> str:
        """Return the words of what a manifest says was recalled; empty if they were erased."""
        return self._platform.memory.recalled_text(self._user, kept)

    def preface_texts(self, manifest: JsonObject) -> dict[str, str | None]:
        """Return the texts of the notes and summaries that a manifest names, by episode; None for erased ones."""
        named: builtins.list[JsonObject] = [*manifest.get("notes", []), *manifest.get("summaries", [])]
        return dict(self._platform.summaries.episode_texts(self._user, [each["episode"] for each in named]))

    def run_of(self, answer: str) -> JsonObject:
        """Return what is known of an answer whose Process keeps no manifest: its Process, its run and the steps of it.

        Raises NotFoundError for what no run has made, and if the run was deleted.
        """
        made = self.alternative(answer)
        if made.run_id is None:
            raise NotFoundError("No Process has made it, so nothing is known of what it was made from.")
        past = RunReader(platform_runs(self._platform), self._user)
        view = past.view(made.run_id)
        steps: list[Json] = [
            {
                "step": each.step,
                "attempt": each.attempt,
                "calls": view.plan.call_of(each.step).name,
                "state": each.outcome,
            }
            for each in past.trace(view)
        ]
        process: JsonObject = {"id": made.process_id, "digest": made.process_digest, "name": view.run.process_name}
        return {"process": process, "runId": made.run_id, "state": view.run.phase, "steps": steps}

    def prompts(self, answer: str) -> "builtins.list[LLMRequest]":
        """Make the very prompts of an answer again: one, several for an answer with tools, none if code alone made it.

        Raises ConflictError if something of it was erased.
        """
        return self._platform.memory.remake(self._user, answer)

    def _read_attachments(self, sources: Sequence[AttachmentSource]) -> "builtins.list[NewAttachment]":
        """Return files as they are attached. Raises RuleError, InputError, MissingExtraError."""
        require_list(sources, "attachments", "a list, as attachments=[Path('notes.txt')]")
        attached = checked_attachments([_attachment_from(each, self._folder) for each in sources])
        if any(each.is_image for each in attached):
            self._platform.require_sight()
        return attached

    def _request(self, key: str | None, expected_version: int | None = None) -> MutationRequest:
        return MutationRequest(self._user, key, expected_version)


def messages_of(request: LLMRequest) -> list[Json]:
    """The messages of a prompt, in order, as JSON data."""
    return [
        {"role": "system", "text": request.system_prompt},
        *({"role": each.role, "text": each.text} for each in request.history),
        {"role": "user", "text": request.prompt},
    ]


def _attachment_from(source: AttachmentSource, folder: Path) -> NewAttachment:
    if isinstance(source, NewAttachment):
        return source
    if isinstance(source, Path):
        return attachment_of_file(folder / source.expanduser())
    require_argument(source, tuple, "an attachment", "a Path, or a tuple of a name and bytes")
    return attachment_of_bytes(*source)


def _excerpt(content: str | None) -> str | None:
    return content if content is None or len(content) <= _EXCERPT else f"{content[:_EXCERPT]}..."


def _count_fitting(alternatives: "builtins.list[Alternative]") -> int:
    """How many alternatives fit into a window of a tree, at least one."""
    sizes = accumulate(len(canonical_json(each.as_dict())) for each in alternatives)
    return max(1, sum(size <= _WINDOW for size in sizes))


def _ambiguous(name: str, ids: "builtins.list[str]") -> InputError:
    return InputError(f"{name!r} begins more than one id: {', '.join(ids)}.", next_step="Give more of it.")


def _executor_of(process: Process) -> Executor:
    return Executor(process.id, process.digest)
