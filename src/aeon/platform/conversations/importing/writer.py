"""Writes imported conversations: each one in a transaction of its own, each one once for a user (platform 27)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias
from uuid import UUID, uuid5

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.conversations import queries
from aeon.platform.conversations.attachments import (
    NewAttachment,
    attachment_rows,
    write_attachments,
    write_blobs,
)
from aeon.platform.conversations.importing.tree import ConversationTree, TreeAlternative, TreeOrigin
from aeon.platform.conversations.model import Conversation, content_digest, path_digest
from aeon.platform.conversations.repository import conversation_action
from aeon.platform.episodes.writing import TurnEpisode, add_turn_episode
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.search.message_index import DocumentPlace, add_document, begin_index, change_title
from aeon.platform.store import DuplicateError, Row, Store, UnitOfWork

_NAMESPACE = UUID("5d0f2a0e-6d5c-4c36-9b6f-0f0d9a4f6f27")

ImportState: TypeAlias = Literal["new", "present", "grown", "erased"]


class WrittenImport(NamedTuple):
    """The conversation that an import is in the record.

    `grown`: it was imported before, and the file has `newer` messages that the record had not. `erased`: the user has
    erased all its messages, which are not brought back.
    """

    id: str
    state: ImportState
    newer: int = 0
    has_origin: bool = True


class _Origin(NamedTuple):
    conversation: str
    turn: str
    alternative: str


class ImportWriter:
    """Writes trees into the record of all users. Thread- and process-safe.

    The ids that it makes depend on the user, the import key and the ids of the source alone, so that an import that
    was interrupted, or two at once, write one and the same tree.
    """

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger

    def find(self, user: str, tree: ConversationTree) -> WrittenImport | None:
        """Return the user's conversation that a tree was imported as before, or exported from."""
        source, _, named = tree.key.partition(":")
        exported = named if source == "aeon" else None
        rows = self._store.read(queries.IMPORTED, {"user": user, "key": tree.key, "id": exported})
        if not rows:
            return None
        id_ = rows[0]["id"]
        if source != tree.source or tree.own_id not in {None, exported} or id_ == tree.own_id:
            return WrittenImport(id_, self._present_state(id_))  # of this record itself, or with ids of a third one
        ids: list[Json] = [_id(user, tree.key, "alternative", each.id) for each in tree.alternatives()]
        newer = len(ids) - len(self._store.read(queries.AMONG, {"conversation": id_, "ids": ids}))
        return WrittenImport(id_, "grown" if newer else self._present_state(id_), newer)

    def _present_state(self, id_: str) -> ImportState:
        (counted,) = self._store.read(queries.COUNT_ERASED, {"conversation": id_})
        return "erased" if counted["number"] and counted["number"] == counted["erased"] else "present"

    def write(self, user: str, tree: ConversationTree) -> WrittenImport:
        """Write a tree; of one that the user has already, only the messages that the record has not."""
        if (present := self.find(user, tree)) is not None:
            if present.state == "grown":
                self._extend(user, tree, present.id)
            return present
        at = self._ledger.now()
        origin = None if tree.origin is None else self._origin(user, tree.origin)
        conversation = _conversation(user, tree, origin, at)
        turns, alternatives = _turn_rows(user, tree), _alternative_rows(user, tree, conversation.id)
        attached = _attached(user, tree)
        speakers = {row["id"]: row["speaker"] for row in turns}

        def work(unit: UnitOfWork) -> None:
            begin_index(unit, user)
            unit.write(queries.CREATE, conversation.as_row())
            change_title(unit, user, conversation.id, None, conversation.title)
            unit.write_each(queries.ADD_TURN, turns)
            unit.write_each(queries.IMPORT_ALTERNATIVE, alternatives)
            for row in alternatives:
                _index(unit, row, speakers[row["turn"]])
                _attach(unit, row["id"], attached)
            if conversation.tip_id is not None:
                unit.write(queries.SET_TIP, {"user": user, "conversation": conversation.id, "tip": conversation.tip_id})

        action = conversation_action("import", conversation.id, user, source=tree.source)
        mutation = MutationRequest(user).mutation("conversation.import", conversation.id)
        try:
            self._ledger.commit(work, mutation, [action], {"id": conversation.id})
        except DuplicateError:  # another process has written it meanwhile
            if (present := self.find(user, tree)) is None:
                raise
            return present
        return WrittenImport(conversation.id, "new", has_origin=tree.origin is None or origin is not None)

    def _extend(self, user: str, tree: ConversationTree, id_: str) -> None:
        """Add what the record has not. The tip follows if the user has not gone on in another direction since."""
        turns = {row["id"]: row for row in _turn_rows(user, tree)}
        rows = _alternative_rows(user, tree, id_)
        ids: list[Json] = [row["id"] for row in rows]

        def work(unit: UnitOfWork) -> None:
            known = {row["id"] for row in unit.read(queries.AMONG, {"conversation": id_, "ids": ids})}
            growth = _Growth(unit, user, turns, _attached(user, tree))
            for row in rows:
                if row["id"] not in known:
                    growth.add(row)
            (conversation,) = unit.read(queries.CONVERSATION, {"user": user, "id": id_})
            tip = growth.tip(conversation["tip_id"], rows, tree, user)
            moved: JsonObject = {"conversation": id_, "user": user, "tip": tip, "wakes": False}
            unit.write(queries.MOVE_TIP, {**moved, "at": self._ledger.now()})

        action = conversation_action("import", id_, user, source=tree.source)
        self._ledger.commit(work, MutationRequest(user).mutation("conversation.import", id_), [action], {"id": id_})

    def _origin(self, user: str, origin: TreeOrigin) -> _Origin | None:
        """Return the origin of a fork as it is in this record: exported from here, or imported before; None if not."""
        imported = _id(user, origin.import_key, "alternative", origin.alternative)
        for alternative in (origin.alternative, imported):
            if rows := self._store.read(queries.ALTERNATIVE, {"user": user, "id": alternative}):
                return _Origin(rows[0]["conversation_id"], rows[0]["turn_id"], alternative)
        return None


class _Growth:
    """Adds alternatives to a conversation that is there already, in one unit of work."""

    def __init__(
        self,
        unit: UnitOfWork,
        user: str,
        turns: Mapping[str, JsonObject],
        attached: Mapping[str, Sequence[NewAttachment]],
    ) -> None:
        self._unit = unit
        self._user = user
        self._attached = attached
        self._turns = turns
        self._made: set[str] = set()
        self._shown: dict[str, str] = {}

    def add(self, row: JsonObject) -> None:
        """Add an alternative to the turn that answers its parent.

        In a new turn, what the file shows is active: the first one, if what it shows goes to another turn.
        """
        parent = self._parent_of(row)
        turn = self._turn_of(row, parent)
        (number,) = self._unit.read(queries.NEXT_SEQUENCE, {"turn": turn["id"]})
        digest = row["content_hash"]
        above = None if parent is None else parent["path_hash"]
        attached = _digests(self._attached.get(row["id"], ()))
        is_active = turn["id"] in self._made and (row["is_active"] or turn["id"] not in self._shown)
        placed: JsonObject = {
            "turn": turn["id"],
            "sequence": number["number"],
            "is_active": is_active,
            "path_hash": None if digest is None else path_digest(above, turn["speaker"], digest, attached),
        }
        if is_active:
            self._unit.write(queries.LEAVE_TURN, {"turn": turn["id"]})
            self._shown[turn["id"]] = row["id"]
        self._unit.write(queries.IMPORT_ALTERNATIVE, {**row, **placed})
        _index(self._unit, row, turn["speaker"])
        _attach(self._unit, row["id"], self._attached)

    def tip(self, before: str | None, rows: Iterable[JsonObject], tree: ConversationTree, user: str) -> str | None:
        """Return the file's tip if all of its path below the tip of before was added and is shown, else that tip."""
        parents: dict[str, str | None] = {row["id"]: row["responds_to"] for row in rows}
        wanted = at = None if tree.tip is None else _id(user, tree.key, "alternative", tree.tip)
        shown = set(self._shown.values())
        while at is not None and at != before and at in shown:
            at = parents[at]
        return wanted if at == before else before

    def _parent_of(self, row: JsonObject) -> Row | None:
        if row["responds_to"] is None:
            return None
        (parent,) = self._unit.read(queries.ALTERNATIVE, {"user": self._user, "id": row["responds_to"]})
        return parent

    def _turn_of(self, row: JsonObject, parent: Row | None) -> Row:
        found = (
            self._unit.read(queries.ROOT_TURN, {"conversation": row["conversation"]})
            if parent is None
            else self._unit.read(queries.CHILD_TURN, {"id": parent["id"]})
        )
        if found:
            return found[0]
        turn = self._turns[row["turn"]]
        above: JsonObject = {} if parent is None else {"parent": parent["turn_id"], "sequence": parent["depth"] + 1}
        self._unit.write(queries.ADD_TURN, {**turn, **above})
        self._made.add(turn["id"])
        return turn


def _index(unit: UnitOfWork, row: JsonObject, speaker: str) -> None:
    """Let an alternative be found and remembered, if it has content."""
    if row["content"] is not None:
        user, conversation = row["user"], row["conversation"]
        add_document(unit, user, DocumentPlace(conversation, row["id"]), row["content"])
        add_turn_episode(unit, TurnEpisode(user, conversation, row["id"], speaker, row["at"]))


def _attached(user: str, tree: ConversationTree) -> dict[str, Sequence[NewAttachment]]:
    """Return what is attached to the alternatives of a tree, by their ids in the record."""
    having = (each for each in tree.alternatives() if each.attachments)
    return {_id(user, tree.key, "alternative", each.id): each.attachments for each in having}


def _attach(unit: UnitOfWork, alternative: str, attached: Mapping[str, Sequence[NewAttachment]]) -> None:
    files = attached.get(alternative, ())
    write_blobs(unit, files)
    write_attachments(unit, alternative, attachment_rows(files))


def _digests(files: Sequence[NewAttachment]) -> list[str]:
    return [each.digest for each in files]


def _id(user: str, key: str, kind: str, source_id: str) -> str:
    """Return the id of a thing that is imported: always the same for the same user and source."""
    return str(uuid5(_NAMESPACE, canonical_json([user, key, kind, source_id])))


def _conversation(user: str, tree: ConversationTree, origin: _Origin | None, at: str) -> Conversation:
    return Conversation(
        id=_id(user, tree.key, "conversation", ""),
        owner_id=user,
        title=tree.title,
        title_by=tree.title_by,
        status=tree.status,
        pinned=tree.pinned,
        tags=tree.tags,
        tip_id=None if tree.tip is None else _id(user, tree.key, "alternative", tree.tip),
        forked_from_id=None if origin is None else origin.conversation,
        origin_turn_id=None if origin is None else origin.turn,
        origin_alternative_id=None if origin is None else origin.alternative,
        context_budget=tree.context_budget,
        import_key=tree.key,
        created_at=tree.created_at or at,
        updated_at=tree.updated_at or at,
    )


def _turn_rows(user: str, tree: ConversationTree) -> list[JsonObject]:
    depths: dict[str | None, int] = {None: 0}
    rows: list[JsonObject] = []
    for turn in tree.turns:
        depths[turn.id] = depths[turn.parent] + 1
        rows.append(
            {
                "id": _id(user, tree.key, "turn", turn.id),
                "conversation": _id(user, tree.key, "conversation", ""),
                "parent": None if turn.parent is None else _id(user, tree.key, "turn", turn.parent),
                "via": None if turn.via is None else _id(user, tree.key, "alternative", turn.via),
                "sequence": depths[turn.id],
                "speaker": turn.speaker,
                "turn_type": turn.turn_type,
                "at": turn.alternatives[0].created_at,
            }
        )
    return rows


def _alternative_rows(user: str, tree: ConversationTree, conversation: str) -> list[JsonObject]:
    path_hashes: dict[str | None, str | None] = {None: None}
    rows: list[JsonObject] = []
    for turn in tree.turns:
        for number, each in enumerate(turn.alternatives, 1):
            digest = None if each.content is None else content_digest(each.content)
            parent_hash = path_hashes[each.responds_to]
            attached = _digests(each.attachments)
            path_hash = None if digest is None else path_digest(parent_hash, turn.speaker, digest, attached)
            path_hashes[each.id] = path_hash
            rows.append(
                {
                    **_own_columns(each),
                    "id": _id(user, tree.key, "alternative", each.id),
                    "turn": _id(user, tree.key, "turn", turn.id),
                    "conversation": conversation,
                    "user": user,
                    "sequence": number,
                    "is_active": each.is_active,
                    "responds_to": None
                    if each.responds_to is None
                    else _id(user, tree.key, "alternative", each.responds_to),
                    "content_hash": digest,
                    "path_hash": path_hash,
                }
            )
    return rows


def _own_columns(alternative: TreeAlternative) -> JsonObject:
    """Return the columns of an alternative that depend on nothing around it."""
    return {
        "state": alternative.state,
        "content": alternative.content,
        "model": alternative.model,
        "usage": canonical_json(alternative.usage) if alternative.usage else None,
        "marks": canonical_json(alternative.marks) if alternative.marks else None,
        "failure": alternative.failure,
        "imported": canonical_json(alternative.imported) if alternative.imported else None,
        "at": alternative.created_at,
        "ended_at": alternative.ended_at,
        "forgotten_at": alternative.forgotten_at,
    }
