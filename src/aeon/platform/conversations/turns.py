"""The tree of a conversation: messages, answers, branches. Nothing in it is ever changed or removed (platform 19)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.conversations import queries
from aeon.platform.conversations.attachments import (
    NewAttachment,
    attachment_rows,
    checked_attachments,
    kept_rows,
    write_attachments,
    write_blobs,
)
from aeon.platform.conversations.model import (
    ANSWERABLE,
    MAX_CONTENT,
    Alternative,
    Conversation,
    Speaker,
    content_digest,
    path_digest,
)
from aeon.platform.conversations.pieces import PIECES_SUBJECT
from aeon.platform.conversations.repository import ConversationRepository, conversation_action
from aeon.platform.conversations.said_before import Said, require_said
from aeon.platform.conversations.turn_reader import TurnReader, alternative_in, conversation_in
from aeon.platform.episodes.writing import TurnEpisode, add_turn_episode
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import Ledger, Mutation, MutationRequest
from aeon.platform.queries import LOCKED_HEAD
from aeon.platform.records import replace_unstorable
from aeon.platform.search.message_index import DocumentPlace, add_document
from aeon.platform.store import Store, UnitOfWork, guard


class EndedAnswer(NamedTuple):
    """How an answer ended: its text with what there is to say of it, or why there is none."""

    content: str | None
    failure: str | None = None
    model: str | None = None
    usage: JsonObject | None = None
    is_stopped: bool = False
    marks: Sequence[str] = ()


class Executor(NamedTuple):
    """The Process that makes an answer, and the digest of its definition."""

    process: str
    digest: str


class _Place(NamedTuple):
    """Where a new alternative goes: what it responds to, and the turn that answers it, if there is one yet."""

    conversation: str
    responds_to: Alternative | None
    turn: str | None


class _Message(NamedTuple):
    """A message of a user to write: its text and what is attached, or `keeps_of`, whose attachments it has too."""

    text: str
    attachments: Sequence[NewAttachment] = ()
    keeps_of: str | None = None

    @property
    def parameters(self) -> JsonObject:
        """What a repeated mutation must say again."""
        attached: list[Json] = [[each.name, each.digest] for each in self.attachments]
        return {"content": content_digest(self.text), **({"attachments": attached} if attached else {})}

    def attach(self, unit: UnitOfWork, user: str) -> list[JsonObject]:
        """Write the files, and return the rows that attach them."""
        write_blobs(unit, self.attachments)
        return kept_rows(unit, user, self.keeps_of) if self.keeps_of else attachment_rows(self.attachments)


class TurnRepository(TurnReader):
    """Writes, and reads, the turns and alternatives of all users. Thread- and process-safe.

    Every change is one transaction: the alternative, the switch of the branch up to the root (platform 12), the tip and
    the audit entry. Every method raises NotFoundError for what the user may not see.
    """

    def __init__(
        self, store: Store, ledger: Ledger, new_id: Callable[[], str], conversations: ConversationRepository
    ) -> None:
        super().__init__(store, ledger)
        self._new_id = new_id
        self._conversations = conversations

    def append(
        self,
        conversation: str,
        content: str,
        request: MutationRequest,
        after: str | None = None,
        attachments: Sequence[NewAttachment] = (),
        earlier: Sequence[Said] = (),
    ) -> Alternative:
        """Add a user's message after an alternative, the tip by default.

        Raises RuleError for an empty or too long message, for attachments that are too many or too large, and if the
        messages before it do not end with `earlier`; ConflictError after what is still being made, what failed, or what
        has no answer yet.
        """
        message = _Message(checked_content(content), checked_attachments(attachments))
        user = request.user
        self._conversations.get(user, conversation)

        def place(unit: UnitOfWork) -> _Place:
            owner = conversation_in(unit, user, conversation, request.expected)
            parent = after or owner.tip_id
            if parent is None:
                if unit.read(queries.ROOT_TURN, {"conversation": conversation}):
                    raise ConflictError("The conversation has a first message already; edit that one.")
                found = _Place(conversation, None, None)
            else:
                found = self._place_after(unit, user, conversation, parent, "user")
            require_said(unit, user, parent, earlier)
            return found

        mutation = request.mutation("conversation.append", conversation, {**message.parameters, "after": after})
        return self._add(place, self._message_row(user, message.text), "user", mutation, message)

    def edit(
        self,
        id_: str,
        content: str,
        request: MutationRequest,
        attachments: Sequence[NewAttachment] | None = None,
    ) -> Alternative:
        """Add another alternative of a user's message, in its turn, and switch to it.

        It keeps the attachments unless others are given. Raises RuleError for an answer, which cannot be edited, and as
        `append` does.
        """
        text = checked_content(content)
        edited = self.get(request.user, id_)
        if edited.turn.speaker != "user":
            raise RuleError(
                "Only your own messages can be edited.", rule="editable", next_step="Regenerate an answer instead."
            )

        def place(unit: UnitOfWork) -> _Place:
            conversation_in(unit, request.user, edited.conversation_id, request.expected)
            parent = edited.responds_to_id
            responds_to = None if parent is None else alternative_in(unit, request.user, parent)
            return _Place(edited.conversation_id, responds_to, edited.turn.id)

        message = _Message(text, (), id_) if attachments is None else _Message(text, checked_attachments(attachments))
        mutation = request.mutation("conversation.edit", id_, message.parameters)
        return self._add(place, self._message_row(request.user, text), "user", mutation, message)

    def begin_answer(self, id_: str, executor: Executor, request: MutationRequest) -> Alternative:
        """Add an alternative that is being made, which answers a user's message, and switch to it.

        DEFAULT_PROCESS moves to the Process in the same transaction (platform 44). Raises ConflictError for a message
        that cannot be answered yet, and RuleError for an answer.
        """
        message = self.get(request.user, id_)
        if message.turn.speaker != "user":
            raise RuleError("Only a message can be answered, not an answer.", rule="answerable")
        return self._begin(message.conversation_id, id_, executor, request, "conversation.answer")

    def regenerate(self, id_: str, executor: Executor, request: MutationRequest) -> Alternative:
        """Add another alternative of an answer, and switch to it.

        A stale answer is made again for what its parent turn shows now, in the same turn (platform 12). Raises
        ConflictError while the answer is being made.
        """
        answer = self.get(request.user, id_)
        if answer.turn.speaker != "agent" or answer.responds_to_id is None:
            raise RuleError(
                "Only an answer can be regenerated.", rule="regenerable", next_step="Edit a message instead."
            )
        if answer.state == "generating":
            raise ConflictError("The answer is still being made.", next_step="Wait for it, or stop it.")
        message = answer.responds_to_id
        if answer.is_stale:
            message = next(each.id for each in self.list_siblings(request.user, message) if each.is_active)
        return self._begin(
            answer.conversation_id, message, executor, request, "conversation.regenerate", answer.turn.id
        )

    def activate(self, id_: str, request: MutationRequest) -> Alternative:
        """Switch to an alternative: every ancestor follows, nothing below is switched (platform 12).

        The tip moves to the end of the active path below it.
        """
        chosen = self.get(request.user, id_)
        mutation = request.mutation("conversation.activate", id_)

        def work(unit: UnitOfWork) -> None:
            conversation_in(unit, request.user, chosen.conversation_id, request.expected)
            self._activate_path(unit, request.user, id_)
            (deepest,) = unit.read(queries.DEEPEST, {"user": request.user, "id": id_})
            self._move_tip(unit, request.user, chosen.conversation_id, deepest["id"], wakes=False)

        action = conversation_action("activate", chosen.conversation_id, request.user, alternative=id_)
        self._ledger.commit(work, mutation, [action], {"id": id_})
        return self.get(request.user, id_)

    def fork(self, id_: str, title: str | None, request: MutationRequest) -> Conversation:
        """Make a new conversation that continues from an alternative; no turn is copied (platform 13)."""
        origin = self.get(request.user, id_)
        if origin.state not in ANSWERABLE:
            raise ConflictError("Only what is complete can be forked.", next_step="Wait for the answer, or retry it.")
        at = self._ledger.now()
        source = self._conversations.get(request.user, origin.conversation_id)
        made = Conversation.model_validate(
            {
                "id": self._new_id(),
                "ownerId": request.user,
                "title": title,
                "titleBy": "user" if title else None,
                "forkedFromId": source.id,
                "originTurnId": origin.turn.id,
                "originAlternativeId": origin.id,
                "contextBudget": source.context_budget,
                "createdAt": at,
                "updatedAt": at,
            }
        )
        return self._conversations.insert(made, request.mutation("conversation.fork", id_, {"title": title}))

    def set_run(self, user: str, id_: str, run: str) -> None:
        """Note the run that makes an answer, once."""
        self._store.update(lambda unit: unit.write(queries.SET_RUN, {"user": user, "id": id_, "run": run}))

    def end_answer(self, user: str, id_: str, ended: EndedAnswer) -> bool:
        """Write how an answer ended, whole or not at all (platform 8); return whether this call did it.

        Its pieces are removed in the same transaction.
        """
        answer = self.get(user, id_)
        text = None if ended.content is None else replace_unstorable(ended.content)
        state = "failed" if text is None else "stopped" if ended.is_stopped else "complete"
        parent = None if answer.responds_to_id is None else self.get(user, answer.responds_to_id).path_hash
        digest = None if text is None else content_digest(text)
        params: JsonObject = {
            "user": user,
            "id": id_,
            "state": state,
            "content": text,
            "content_hash": digest,
            "path_hash": None if digest is None else path_digest(parent, answer.turn.speaker, digest),
            "model": ended.model,
            "usage": canonical_json(ended.usage or {}),
            "marks": canonical_json(list(ended.marks)),
            "failure": None if text is not None else replace_unstorable(ended.failure or "no reason was given"),
            "at": self._ledger.now(),
        }

        def work(unit: UnitOfWork) -> bool:
            unit.read(LOCKED_HEAD, {"user": user})
            unit.write(queries.REMOVE_PIECES, {"id": id_})
            if not unit.write(queries.END, params):
                return False
            unit.announce(f"{PIECES_SUBJECT}:{id_}:end")
            if text is not None:
                add_document(unit, user, DocumentPlace(answer.conversation_id, id_), text)
                add_turn_episode(unit, TurnEpisode(user, answer.conversation_id, id_, "agent", answer.created_at))
            return True

        return self._store.update(work)

    def _begin(
        self,
        conversation: str,
        message: str,
        executor: Executor,
        request: MutationRequest,
        verb: str,
        turn: str | None = None,
    ) -> Alternative:
        user = request.user
        row: JsonObject = {
            **_EMPTY,
            "id": self._new_id(),
            "user": user,
            "state": "generating",
            "process": executor.process,
            "digest": executor.digest,
        }

        def place(unit: UnitOfWork) -> _Place:
            conversation_in(unit, user, conversation, request.expected)
            found = self._place_after(unit, user, conversation, message, "agent")
            prefer: JsonObject = {"conversation": conversation, "user": user, "process": executor.process}
            unit.write(queries.PREFER_PROCESS, {**prefer, "at": self._ledger.now()})
            return found if found.turn is not None else found._replace(turn=turn)

        mutation = request.mutation(verb, message, {"process": executor.process})
        return self._add(place, row, "agent", mutation)

    def _add(
        self,
        place: Callable[[UnitOfWork], _Place],
        row: JsonObject,
        speaker: Speaker,
        mutation: Mutation,
        message: _Message | None = None,
    ) -> Alternative:
        """Add an alternative where `place` says, and switch to it; or return that of the same mutation."""
        user, turn_id = mutation.user, self._new_id()

        def work(unit: UnitOfWork) -> None:
            where, at = place(unit), self._ledger.now()
            responds_to = where.responds_to
            turn = where.turn or turn_id
            if where.turn is None:
                new_turn: JsonObject = {
                    "id": turn,
                    "conversation": where.conversation,
                    "parent": None if responds_to is None else responds_to.turn.id,
                    "via": None if responds_to is None else responds_to.id,
                    "sequence": 1 if responds_to is None else responds_to.turn.sequence + 1,
                    "speaker": speaker,
                    "turn_type": "message",
                    "at": at,
                }
                unit.write(queries.ADD_TURN, new_turn)
            (number,) = unit.read(queries.NEXT_SEQUENCE, {"turn": turn})
            unit.write(queries.LEAVE_TURN, {"turn": turn})
            digest = row["content_hash"]
            parent_hash = None if responds_to is None else responds_to.path_hash
            attached = [] if message is None else message.attach(unit, user)
            digests = [each["digest"] for each in attached]
            placed: JsonObject = {
                **row,
                "turn": turn,
                "conversation": where.conversation,
                "sequence": number["number"],
                "responds_to": None if responds_to is None else responds_to.id,
                "path_hash": None if digest is None else path_digest(parent_hash, speaker, digest, digests),
                "at": at,
                "ended_at": None if row["state"] == "generating" else at,
            }
            unit.write(queries.ADD_ALTERNATIVE, placed)
            write_attachments(unit, row["id"], attached)
            if row["content"] is not None:
                add_document(unit, user, DocumentPlace(where.conversation, row["id"]), row["content"])
                add_turn_episode(unit, TurnEpisode(user, where.conversation, row["id"], speaker, at))
            if not _is_at_the_end(unit, where):
                self._activate_path(unit, user, row["id"])
            self._move_tip(unit, user, where.conversation, row["id"], wakes=True)

        action = conversation_action(mutation.verb.partition(".")[2], mutation.target, user, alternative=row["id"])
        answer = self._ledger.commit(work, mutation, [action], {"id": row["id"]})
        return self.get(user, answer["id"])

    def _place_after(self, unit: UnitOfWork, user: str, conversation: str, parent: str, speaker: Speaker) -> _Place:
        """Return the place of an alternative that responds to `parent`: the turn that answers it, else a new one."""
        responds_to = alternative_in(unit, user, parent)
        if responds_to.conversation_id != conversation:
            raise NotFoundError(f"This conversation has no message or answer {parent!r}.")
        if responds_to.state not in ANSWERABLE:
            raise ConflictError(
                "The answer is still being made."
                if responds_to.state == "generating"
                else "The answer failed, so nothing can follow it.",
                next_step="Wait for it, or stop it."
                if responds_to.state == "generating"
                else "Retry it, or edit the message before it.",
            )
        if speaker == "agent" and responds_to.forgotten_at is not None:
            raise ConflictError("The message was erased.", next_step="Write another in its place: edit it.")
        turns = unit.read(queries.CHILD_TURN, {"id": parent})
        # In an import, a turn may answer one of the same speaker: a tool's result, or a second message.
        if turns[0]["speaker"] != speaker if turns else speaker == responds_to.turn.speaker:
            raise ConflictError(
                "The last message has no answer yet.", next_step="Let it be answered, or edit that message."
            )
        return _Place(conversation, responds_to, turns[0]["id"] if turns else None)

    def _activate_path(self, unit: UnitOfWork, user: str, id_: str) -> None:
        """Make an alternative and all its ancestors active (platform 12)."""
        chosen: JsonObject = {"user": user, "id": id_}
        unit.write(queries.DEACTIVATE, chosen)
        unit.write(queries.ACTIVATE, chosen)

    def _move_tip(self, unit: UnitOfWork, user: str, conversation: str, tip: str, *, wakes: bool) -> None:
        """Move the tip (platform 23). `wakes`: an archived conversation becomes active again."""
        moved: JsonObject = {"conversation": conversation, "user": user, "tip": tip, "wakes": wakes}
        guard(holds=unit.write(queries.MOVE_TIP, {**moved, "at": self._ledger.now()}) == 1)

    def _message_row(self, user: str, text: str) -> JsonObject:
        return {
            **_EMPTY,
            "id": self._new_id(),
            "user": user,
            "state": "complete",
            "content": text,
            "content_hash": content_digest(text),
        }


_EMPTY: JsonObject = {
    "content": None,
    "content_hash": None,
    "process": None,
    "digest": None,
    "imported": None,
    "model": None,
}
"""The columns of a new alternative that not all have."""


def checked_content(content: str) -> str:
    """Return the text as it is stored. Raises RuleError for one that is empty or too long."""
    text = replace_unstorable(content)
    if not text.strip():
        raise RuleError("The message is empty.", rule="content", field="$.content", next_step="Write something.")
    if len(text) > MAX_CONTENT:
        raise RuleError(
            f"The message has {len(text):,} characters, {len(text) - MAX_CONTENT:,} too many.",
            rule="content",
            field="$.content",
            next_step="Shorten it, or attach it as a file.",
        )
    return text


def _is_at_the_end(unit: UnitOfWork, where: _Place) -> bool:
    """Whether all above a place is active: it is the root's, or follows the tip, or stands beside it."""
    if where.responds_to is None:
        return True
    rows = unit.read(queries.TIP, {"conversation": where.conversation})
    return any(where.responds_to.id in (row["id"], row["responds_to_id"]) for row in rows)
