"""Erases messages, for their owner and for an operator; ids, edges and times stay (platform 28).

The transaction that begins an erasure blanks the content, its copies in the search index, in manifests and among the
pieces, and the summaries and notes that were made from it. An `Erasure` that has not ended says what is left: the
records of runs, and what deleted rows leave in files.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.conversations import queries
from aeon.platform.conversations.attachments import erase_attachments
from aeon.platform.conversations.model import Conversation
from aeon.platform.episodes.background_runs import runs_given_messages
from aeon.platform.episodes.forgetting import forget_turn_episodes
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.introspection.erasing import erase_notes_of
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.search.message_index import DocumentPlace, change_title, rebuild_index, remove_document
from aeon.platform.store import Row, Store, UnitOfWork
from aeon.platform.summaries.erasing import erase_summaries_of

TABLES: Final = (
    "alternatives",
    "assertions",
    "attachments",
    "blobs",
    "conversations",
    "entities",
    "episodes",
    "facts",
    "manifests",
    "mentions",
    "pieces",
    "search_message_documents",
    "search_message_words",
    "search_message_terms",
    "vectors",
    "word_cases",
)
"""The tables of the record that hold messages and what was derived from them."""

_MANY: Final = 500
"""As many alternatives leave the search index faster when it is built again."""

_MAX_REASON: Final = 1000
_PAGE: Final = 1000


class ErasureTarget(NamedTuple):
    """What is to be erased: one alternative of a conversation, or all of it with its title and tags."""

    owner: str
    conversation: str
    alternative: str | None = None


class ErasureExtent(NamedTuple):
    """What an erasure takes, and what stays that was made from it.

    `files` are attached to it. `generating` are the answers that are being made of it. `below` counts the messages and
    answers that stay below it, also in forks; `forks` the conversations that continue from it and lose what they
    continue.
    """

    messages: int
    answers: int
    files: int
    runs: list[str]
    below: int
    forks: int
    generating: list[str]
    has_title_or_tags: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to be erased."""
        return not (self.messages or self.answers or self.has_title_or_tags)


class Erasure(NamedTuple):
    """An erasure that has begun: the runs whose records are still to be erased."""

    id: str
    owner: str
    actor: str
    at: str
    runs: list[str]


class _Found(NamedTuple):
    """What a transaction sees of a target: the conversation, what is taken, and what stays below that."""

    conversation: Conversation
    taken: list[Row]
    files: int
    below: list[Row]
    forks: int
    takes_title: bool
    takes_tags: bool

    def extent(self) -> ErasureExtent:
        answers = sum(row["speaker"] == "agent" for row in self.taken)
        direct = {row["id"] for row in self.taken}
        answering = [row for row in self.below if row["responds_to_id"] in direct]
        return ErasureExtent(
            len(self.taken) - answers,
            answers,
            self.files,
            sorted({row["run_id"] for row in [*self.taken, *answering] if row["run_id"] is not None}),
            len(self.below),
            self.forks,
            [row["id"] for row in [*self.taken, *self.below] if row["state"] == "generating"],
            (self.takes_title and self.conversation.title is not None)
            or (self.takes_tags and bool(self.conversation.tags)),
        )


class ErasureRepository:
    """Begins, lists and ends erasures of all users. Thread- and process-safe.

    Every method raises StoreError, and NotFoundError for what the owner does not have.
    """

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def measure(self, target: ErasureTarget) -> ErasureExtent:
        """Return what an erasure would take now."""
        return self._store.view(lambda unit: _found(unit, target).extent())

    def begin(self, target: ErasureTarget, request: MutationRequest, reason: str | None = None) -> None:
        """Erase the content from the record, and note what is left to be erased elsewhere.

        The requesting user is the owner, or an operator, who gives a reason; both have it in their audit logs. What was
        erased before stays as it is. Raises RuleError for a missing or too long reason, and ConflictError while an
        answer is being made of it.
        """
        is_own = request.user == target.owner
        _check_reason(reason, is_own=is_own)
        id_ = self._new_id()
        verb = "conversation.forget" if is_own else "conversation.redact"
        details: JsonObject = {"alternative": target.alternative, "erasure": id_, "reason": reason}
        action = AuditAction(verb, target.conversation, request.user, target.owner, details)

        def work(unit: UnitOfWork) -> None:
            found = _found(unit, target)
            extent = found.extent()
            if extent.generating:
                raise ConflictError("An answer is being made of it.", next_step="Stop the answer, or wait for it.")
            at = self._ledger.now()
            derived = _erase(unit, target.owner, found, at, request.user)
            row: JsonObject = {"id": id_, "owner": target.owner, "actor": request.user, "at": at, "reason": reason}
            runs = list[Json](sorted({*extent.runs, *derived}))
            unit.write(queries.ADD_ERASURE, {**row, "runs": canonical_json(runs)})

        mutation = request.mutation(verb, target.alternative or target.conversation)
        self._ledger.commit(work, mutation, [action], {"id": id_})

    def list_open(self, limit: int = _PAGE) -> list[Erasure]:
        """Return the erasures that have not ended, oldest first."""
        return [
            Erasure(row["id"], row["owner_id"], row["actor_id"], row["created_at"], parse_strict(row["runs"]))
            for row in self._store.read(queries.OPEN_ERASURES, {"limit": limit})
        ]

    def end(self, id_: str) -> None:
        """Note that nothing is left of what an erasure took. Calling it again does nothing."""
        self._store.update(lambda unit: unit.write(queries.END_ERASURE, {"id": id_, "at": self._ledger.now()}))


def _check_reason(reason: str | None, *, is_own: bool) -> None:
    if not is_own and not (reason or "").strip():
        raise RuleError(
            "What belongs to another user is erased only for a reason.",
            rule="reason",
            field="$.reason",
            next_step="Say why; both audit logs keep it.",
        )
    if reason is not None and len(reason) > _MAX_REASON:
        raise RuleError(
            f"The reason has {len(reason):,} characters; {_MAX_REASON:,} are allowed.",
            rule="reason",
            field="$.reason",
            next_step="Shorten it.",
        )


def _found(unit: UnitOfWork, target: ErasureTarget) -> _Found:
    user, whole = target.owner, target.alternative is None
    rows = unit.read(queries.CONVERSATION, {"user": user, "id": target.conversation})
    if not rows:
        raise NotFoundError(f"There is no conversation {target.conversation!r} of this user.")
    conversation = Conversation.from_row(rows[0])
    everything: JsonObject = {"user": user, "conversation": target.conversation}
    ids = [row["id"] for row in unit.read(queries.EVERY_ALTERNATIVE, everything)] if whole else [target.alternative]
    taken = _affected(unit, ids)
    below = _affected(unit, sorted(_below(unit, user, ids)))
    (forks,) = unit.read(queries.FORKS_OF, {"user": user, "ids": list[Json](ids)})
    remaining = [row for row in taken if row["forgotten_at"] is None]
    (files,) = unit.read(queries.ATTACHED_NUMBER, {"ids": [row["id"] for row in remaining]})
    takes_title = whole or conversation.title_by == "model"
    return _Found(conversation, remaining, files["number"], below, forks["number"], takes_title, whole)


def _affected(unit: UnitOfWork, ids: Sequence[Json]) -> list[Row]:
    return unit.read(queries.AFFECTED, {"ids": list(ids)}) if ids else []


def _below(unit: UnitOfWork, user: str, ids: Sequence[Json]) -> set[str]:
    """Return the alternatives whose path leads through one of these, also in forks."""
    found: set[str] = set()
    newest = list[Json](ids)
    while newest:
        rows = [
            *unit.read(queries.RESPONDING, {"user": user, "ids": newest}),
            *unit.read(queries.FORK_ROOTS, {"user": user, "ids": newest}),
        ]
        newest = sorted({row["id"] for row in rows} - found - {*ids})
        found.update(map(str, newest))
    return found


def _erase(unit: UnitOfWork, owner: str, found: _Found, at: str, actor: str) -> set[str]:
    """Blank the content of what is taken, with all its copies in the record, and what was made from it.

    Returns the runs that made titles, facts, descriptions, summaries and notes of it, or were to.
    """
    is_many = len(found.taken) > _MANY
    for row in found.taken:
        unit.write(queries.REMOVE_PIECES, {"id": row["id"]})
        unit.write(queries.ERASE, {"id": row["id"], "at": at, "by": actor})
        if row["content"] is not None and not is_many:
            remove_document(unit, owner, DocumentPlace(row["conversation_id"], row["id"]), row["content"])
    taken = [row["id"] for row in found.taken]
    given = runs_given_messages(unit, owner, taken)
    erase_attachments(unit, taken)
    forget_turn_episodes(unit, owner, taken, at)
    summaries = erase_summaries_of(unit, owner, taken, at)
    whole = found.conversation.id if found.takes_tags else None
    note_runs = erase_notes_of(unit, owner, summaries.ids, whole, at)
    _erase_manifests(unit, owner, found, summaries.ids)
    if found.takes_title:
        _erase_title(unit, found.conversation, keeps_tags=not found.takes_tags)
    if is_many:
        rebuild_index(unit, owner)
    return {*summaries.runs, *note_runs, *given}


def _erase_manifests(unit: UnitOfWork, owner: str, found: _Found, summaries: AbstractSet[str]) -> None:
    """Take the copied texts out of the manifests of what is taken, and of all that was made from it."""
    taken = {row["id"] for row in found.taken}
    ids = [row["id"] for row in [*found.taken, *found.below]]
    for first in range(0, len(ids), _PAGE):
        page = list[Json](ids[first : first + _PAGE])
        for row in unit.read(queries.MANIFESTS, {"user": owner, "ids": page}):
            manifest: JsonObject = parse_strict(row["text"])
            entries = {each["alternative"] for each in manifest["entries"]}
            shown = {each["id"] for each in manifest.get("summaries", ())}
            if row["alternative_id"] in taken or entries & taken or shown & summaries:
                _replace_manifest(unit, row, _without_texts(manifest, taken))


def _without_texts(manifest: JsonObject, taken: AbstractSet[str]) -> JsonObject:
    """Return what stays of a manifest that has copied an erased text: ids, tokens and the digest of the prompt.

    Names and digests of the files that were attached to what is `taken` go, too.
    """
    kept = {name: value for name, value in manifest.items() if name not in {"prompts", "toolCalls"}}
    entries = [_without_files(each) if each["alternative"] in taken else each for each in manifest["entries"]]
    return {**kept, "entries": entries, "isErased": True}


def _without_files(entry: JsonObject) -> JsonObject:
    files: list[JsonObject] = entry.get("attachments", [])
    return {**entry, "attachments": [{**each, "name": None, "digest": None} for each in files]} if files else entry


def _replace_manifest(unit: UnitOfWork, row: Row, manifest: JsonObject) -> None:
    unit.write(queries.ERASE_MANIFEST, {"id": row["alternative_id"], "text": canonical_json(manifest)})


def _erase_title(unit: UnitOfWork, conversation: Conversation, *, keeps_tags: bool) -> None:
    tags = canonical_json(list[Json](conversation.tags if keeps_tags else []))
    unit.write(queries.ERASE_TITLE, {"id": conversation.id, "user": conversation.owner_id, "tags": tags})
    change_title(unit, conversation.owner_id, conversation.id, conversation.title, None)
