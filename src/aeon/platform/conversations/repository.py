"""The conversations of all users in one record: each is visible to its owner only."""

from collections.abc import Callable
from typing import NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.conversations import queries
from aeon.platform.conversations.model import Conversation, ConversationChange, ConversationStatus, NewConversation
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.id_prefixes import id_range
from aeon.platform.ledger import AuditAction, Ledger, Mutation, MutationRequest
from aeon.platform.queries import LOCKED_HEAD
from aeon.platform.search.message_index import begin_index, change_title
from aeon.platform.store import GuardError, Store, UnitOfWork, guard

_END_OF_TIME = "9999"
"""Sorts after every instant."""


class UntitledConversation(NamedTuple):
    """A conversation that a model may name, and its owner."""

    owner: str
    id: str


class ConversationRepository:
    """Creates, finds, lists and changes conversations. Thread- and process-safe.

    Every method raises NotFoundError for what the user may not see, so that nothing leaks (platform 2).
    """

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def create(self, new: NewConversation, request: MutationRequest) -> Conversation:
        """Create an empty conversation. The same key again returns the same one (platform 20)."""
        at = self._ledger.now()
        fields = new.as_dict() | {"id": self._new_id(), "ownerId": request.user, "createdAt": at, "updatedAt": at}
        made = Conversation.model_validate(fields | {"titleBy": "user" if new.title else None})
        return self.insert(made, request.mutation("conversation.create", parameters=new.as_dict()))

    def insert(self, made: Conversation, mutation: Mutation) -> Conversation:
        """Write a new conversation, or return that of the same mutation."""

        def work(unit: UnitOfWork) -> None:
            begin_index(unit, made.owner_id)
            guard(holds=unit.write(queries.CREATE, made.as_row()) == 1)
            change_title(unit, made.owner_id, made.id, None, made.title)

        action = conversation_action("create", made.id, made.owner_id)
        answer = self._ledger.commit(work, mutation, [action], {"id": made.id})
        return self.get(made.owner_id, answer["id"])

    def get(self, user: str, id_: str) -> Conversation:
        """Return the user's conversation."""
        rows = self._store.read(queries.CONVERSATION, {"user": user, "id": id_})
        if not rows:
            self._ledger.require_user(user)
            raise NotFoundError(f"You have no conversation {id_!r}.")
        return Conversation.from_row(rows[0])

    def list_newest(
        self,
        user: str,
        *,
        status: ConversationStatus = "active",
        before: tuple[str, str] | None = None,
        limit: int = 50,
    ) -> list[Conversation]:
        """Return a page of the user's conversations, the last changed first, from the time and id `before` on."""
        instant, id_ = before or (_END_OF_TIME, "")
        params: JsonObject = {"user": user, "status": status, "before": instant, "before_id": id_, "limit": limit}
        return [Conversation.from_row(row) for row in self._store.read(queries.NEWEST, params)]

    def list_ids(self, user: str) -> list[str]:
        """Return the ids of all conversations of the user, each after the one it was forked from."""

        def work(unit: UnitOfWork) -> list[_Place]:
            found: list[_Place] = []
            for status in ("active", "archived"):
                before: JsonObject = {"before": _END_OF_TIME, "before_id": ""}
                params: JsonObject = {"user": user, "status": status, "limit": _PAGE}
                while rows := unit.read(queries.NEWEST, {**params, **before}):
                    found += [_Place(row["created_at"], row["id"], row["forked_from_id"]) for row in rows]
                    before = {"before": rows[-1]["updated_at"], "before_id": rows[-1]["id"]}
            return found

        return _origins_first(self._store.view(work))

    def list_matching(self, user: str, prefix: str, limit: int) -> list[Conversation]:
        """Return the user's conversations whose ids begin with `prefix`, by id. Raises NotFoundError for ""."""
        params: JsonObject = {"user": user, **id_range(prefix), "limit": limit}
        return [Conversation.from_row(row) for row in self._store.read(queries.MATCHING, params)]

    def list_forks(self, user: str, id_: str, limit: int = 50) -> list[Conversation]:
        """Return the conversations that were forked from one, oldest first."""
        rows = self._store.read(queries.FORKS, {"user": user, "id": id_, "limit": limit})
        return [Conversation.from_row(row) for row in rows]

    def change(self, id_: str, change: ConversationChange, request: MutationRequest) -> Conversation:
        """Rename, tag, pin, archive or limit a conversation. Raises ConflictError if it was changed meanwhile."""
        before = self.get(request.user, id_)
        wanted = change.requested_fields()
        mutation = request.mutation("conversation.change", id_, wanted)
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return self.get(request.user, earlier["id"])
        if not wanted:
            request.require_version(before.version)
            return before
        fields = before.as_dict() | {
            name: value for name, value in wanted.items() if name in _REMOVABLE or value is not None
        }
        if "title" in wanted:
            fields["titleBy"] = "user" if wanted["title"] else None
        fields |= {"version": before.version + 1, "updatedAt": self._ledger.now()}
        after = Conversation.model_validate(fields)

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.CHANGE, {**after.as_row(), "before": before.version}) == 1)
            change_title(unit, request.user, id_, before.title, after.title)

        checked = mutation.expecting(lambda unit: _version_of(unit, request.user, id_), work)
        try:
            self._ledger.commit(checked, mutation, [conversation_action("change", id_, request.user)], {"id": id_})
        except GuardError:
            raise ConflictError("The conversation was changed in the meantime.") from None
        return self.get(request.user, id_)

    def list_untitled(self, since: str, limit: int) -> list[UntitledConversation]:
        """Return conversations of all users without a title that changed after an instant, the last changed first.

        Imported and archived ones are not among them.
        """
        rows = self._store.read(queries.UNTITLED, {"since": since, "limit": limit})
        return [UntitledConversation(row["owner_id"], row["id"]) for row in rows]

    def suggest_title(self, user: str, id_: str, title: str) -> bool:
        """Give an untitled conversation a title made by a model; return whether it was untitled."""

        def work(unit: UnitOfWork) -> bool:
            unit.read(LOCKED_HEAD, {"user": user})
            if not unit.write(queries.NAME_UNTITLED, {"user": user, "id": id_, "title": title}):
                return False
            change_title(unit, user, id_, None, title)
            return True

        return self._store.update(work)


_PAGE = 1000

_REMOVABLE = frozenset({"title", "contextBudget"})
"""Fields that a change can set to None."""


class _Place(NamedTuple):
    """A conversation in the order of their ages."""

    created_at: str
    id: str
    forked_from: str | None


def _origins_first(places: list[_Place]) -> list[str]:
    """Return conversations by their age, each after the one that it was forked from."""
    by_id = {each.id: each for each in places}
    ordered: dict[str, None] = {}
    for start in sorted(places, key=lambda each: (each.created_at, each.id)):
        chain: list[str] = []
        at: _Place | None = start
        while at is not None and at.id not in ordered:
            chain.append(at.id)
            at = by_id.get(at.forked_from or "")
        ordered.update(dict.fromkeys(reversed(chain)))
    return list(ordered)


def conversation_action(verb: str, id_: str, user: str, **details: str) -> AuditAction:
    """Return the audit entry of what a user did with their conversation; never its content."""
    return AuditAction(f"conversation.{verb}", id_, user, user, dict(details))


def _version_of(unit: UnitOfWork, user: str, id_: str) -> int | None:
    rows = unit.read(queries.CONVERSATION, {"user": user, "id": id_})
    return rows[0]["version"] if rows else None
