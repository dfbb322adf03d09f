"""The things of one kind: who may see one, who may change it, and why a change came to nothing."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.errors import ConflictError, ForbiddenError, NotFoundError, PlatformError, ReferencedError, RuleError
from aeon.platform.ledger import AuditAction, Ledger, Mutation
from aeon.platform.search.index import SearchHit, TextIndex
from aeon.platform.store import DuplicateError, GuardError, Query, Row, Store, UnitOfWork, write_one

E = TypeVar("E", bound=OwnedEntity)

DEFAULTS_OWNER = "aeon"
"""Whose the default catalog is. It is shared; nobody else may change it."""

_PAGE = 100
_MOST_USERS = 100
"""Of those that use a thing, how many are named."""


@dataclass(frozen=True, slots=True)
class EntityQueries:
    """The queries about one kind, which all take `:user`. `shared` is None where other users never see anything.

    `one` takes `:id`; `named` takes `:name` and returns the id of the user's own thing; `own` and `shared` return a
    page by name and take `:after` and `:limit`, `shared` also `:after_id`, and both `:archived` where it applies;
    `users` returns kind, id, name, owner_id and visible of what uses the thing with `:id`.
    """

    one: Query
    named: Query
    own: Query
    shared: Query | None
    uses: Query


class EntityUse(NamedTuple):
    """One thing that uses another.

    `name` and `id` are None if the caller may not see it; `owner_id` is None too, unless the caller owns the thing that
    is used.
    """

    kind: str
    owner_id: str | None
    id: str | None
    name: str | None


def parse_use(row: Row, *, is_owner: bool) -> EntityUse:
    """The use that a row describes, as far as the caller may know it (platform 2).

    Only the owner of a thing learns who uses it; the owner's audit log names the user as well (platform 19).
    """
    if row["visible"]:
        return EntityUse(row["kind"], row["owner_id"], row["id"], row["name"])
    return EntityUse(row["kind"], row["owner_id"] if is_owner else None, None, None)


class EntityRepository(Generic[E]):
    """The things of one kind in the record."""

    kind: ClassVar[str] = ""
    """The kind under which a search finds them; empty where none does."""

    def __init__(self, store: Store, ledger: Ledger, read: Callable[[Row], E], queries: EntityQueries) -> None:
        self._store = store
        self._ledger = ledger
        self._read = read
        self._queries = queries
        self._search = TextIndex(store)

    def get(self, user: str, id_: str) -> E:
        """What the user owns or what is shared. Raises NotFoundError for all else, so nothing leaks (platform 2).

        Raises UnknownUserError for a user who does not exist; so does every method here that finds nothing for them.
        """
        found = self._store.read(self._queries.one, {"user": user, "id": id_})
        if not found:
            self._ledger.require_user(user)
            raise NotFoundError(f"There is nothing with the id {id_!r} that you may see.")
        return self._read(found[0])

    def get_own(self, user: str, id_: str) -> E:
        """What the user owns. Raises NotFoundError, and ForbiddenError where he sees what is another's (platform 2)."""
        found = self.get(user, id_)
        if found.owner_id != user:
            self._ledger.require_user(user)
            raise ForbiddenError(f"The {_word(found.kind)} {found.name!r} belongs to somebody else.")
        return found

    def find_own(self, user: str, name: str) -> E | None:
        """The user's own thing of that name."""
        found = self._store.read(self._queries.named, {"user": user, "name": name})
        return self.get(user, found[0]["id"]) if found else None

    def find(self, user: str, name: str) -> E:
        """The user's own of that name, else the default catalog's, else whatever has it for an id and he may see.

        Raises NotFoundError, which suggests names that are spelled alike.
        """
        owners = (user, DEFAULTS_OWNER)
        asked = [self._store.read(self._queries.named, {"user": owner, "name": name}) for owner in owners]
        ids = [row["id"] for rows in asked for row in rows]
        for id_ in [*ids, name]:
            with suppress(NotFoundError):
                return self.get(user, id_)
        self._ledger.require_user(user)
        suggestion = self._suggestion(user, name)
        raise NotFoundError(
            f"There is nothing named {name!r}, or with that id, that you may see.",
            next_step=f"{suggestion}See `aeon catalog list`; what Aeon ships is there after `aeon up`.",
        )

    def list_own(self, user: str, after: str = "", limit: int = _PAGE, *, archived: bool = False) -> list[E]:
        """The user's own by name, those after the name `after`."""
        params: JsonObject = {"user": user, "after": after, "limit": limit, "archived": archived}
        return [self._read(row) for row in self._store.read(self._queries.own, params)]

    def list_shared(
        self, user: str, after: tuple[str, str] = ("", ""), limit: int = _PAGE, *, archived: bool = False
    ) -> list[E]:
        """What others share, by name and id, those after the name and id `after`."""
        if self._queries.shared is None:
            return []
        name, id_ = after
        params: JsonObject = {"user": user, "after": name, "after_id": id_, "limit": limit, "archived": archived}
        return [self._read(row) for row in self._store.read(self._queries.shared, params)]

    def list_uses(self, user: str, id_: str) -> list[EntityUse]:
        """What uses it, other users' things too; what the caller may not see stays without a name (platform 2)."""
        is_owner = self.get(user, id_).owner_id == user
        rows = self._store.read(self._queries.uses, {"user": user, "id": id_, "limit": _MOST_USERS})
        return [parse_use(row, is_owner=is_owner) for row in rows]

    def create(
        self, work: Callable[[UnitOfWork], None], entity: E, mutation: Mutation, also: Sequence[AuditAction] = ()
    ) -> E:
        """Write it by `work`, or return what the same mutation created before (platform 20).

        `also` is recorded besides its creation. Raises ConflictError where a guard of `work` does not hold.
        """
        try:
            created = _came_or_went("create", entity, mutation.user)
            return self._committed(work, entity, mutation, [created, *also])
        except GuardError:
            word = _word(entity.kind)
            raise ConflictError(f"What the {word} {entity.name!r} refers to was changed in the meantime.") from None

    def replace(
        self, work: Callable[[UnitOfWork], None], entity: E, mutation: Mutation, deeds: Sequence[AuditAction]
    ) -> E:
        """Write the changed entity by `work`, which guards that its version in the record is the one before.

        Raises ConflictError where a guard does not hold.
        """
        try:
            return self._committed(self._expecting(work, mutation), entity, mutation, deeds)
        except GuardError:
            current = self.get_own(mutation.user, entity.id)
            what = f"The {_word(entity.kind)} {current.name!r}"
            if current.version == entity.version - 1:
                what = f"What the {_word(entity.kind)} {current.name!r} refers to"
            raise ConflictError(f"{what} was changed in the meantime.") from None

    def delete(self, query: Query, mutation: Mutation) -> E | None:
        """What was deleted; None when the same mutation deleted it before. `query` takes `:id` and `:user`.

        Raises NotFoundError, ForbiddenError, and ReferencedError with what uses it.
        """
        if self._ledger.earlier_answer(mutation) is not None:
            return None
        entity = self.get_own(mutation.user, mutation.target)
        work = write_one(query, {"id": entity.id, "user": mutation.user})
        try:
            deed = _came_or_went("delete", entity, mutation.user)
            return self._committed(self._expecting(work, mutation), entity, mutation, [deed])
        except GuardError:
            raise self._still_used(mutation.user, entity) from None

    def _expecting(self, work: Callable[[UnitOfWork], None], mutation: Mutation) -> Callable[[UnitOfWork], None]:
        """Nobody else changes it between the look and the work: every change locks its owner's trail."""

        def version(unit: UnitOfWork) -> int | None:
            rows = unit.read(self._queries.one, {"user": mutation.user, "id": mutation.target})
            return rows[0]["version"] if rows else None

        return mutation.expecting(version, work)

    def _committed(
        self, work: Callable[[UnitOfWork], None], entity: E, mutation: Mutation, deeds: Sequence[AuditAction]
    ) -> E:
        """The entity, or what the same mutation made before."""
        answer = entity.as_dict()
        try:
            given = self._ledger.commit(work, mutation, deeds, answer)
        except DuplicateError:
            raise RuleError(
                f"You have a {_word(entity.kind)} named {entity.name!r} already.",
                rule="name_unique",
                field="$.name",
                next_step="Choose another name, or change the one that is there.",
            ) from None
        return entity if given is answer else type(entity).model_validate(given)

    def _suggestion(self, user: str, name: str) -> str:
        """A question about the names that the user may have meant; empty if there is none like it (platform 2)."""
        found = [_called(hit, user) for hit in self._search.find_similar_names(user, name, self.kind)]
        return f"Did you mean {' or '.join(found)}? " if found else ""

    def _still_used(self, user: str, entity: E) -> PlatformError:
        names = [use.name or f"a {use.kind} of {use.owner_id}" for use in self.list_uses(user, entity.id)]
        if not names:
            return ConflictError(f"The {_word(entity.kind)} {entity.name!r} was changed in the meantime.")
        return ReferencedError(
            f"The {_word(entity.kind)} {entity.name!r} is still used by {', '.join(names)}.",
            by=names,
            next_step="Change or delete those first.",
        )


def _came_or_went(verb: str, entity: OwnedEntity, actor: str) -> AuditAction:
    return AuditAction(f"{entity.kind}.{verb}", entity.id, actor, entity.owner_id, {"name": entity.name})


def _called(hit: SearchHit, user: str) -> str:
    """By what `find` finds it: its name, or its id where it is another user's."""
    return repr(hit.name) if hit.owner_id in (user, DEFAULTS_OWNER) else f"{hit.id} ({hit.name!r} of {hit.owner_id})"


def _word(kind: EntityKind) -> str:
    return {"serviceTemplate": "service template", "toolTemplate": "tool template"}.get(kind, kind)


_HEALTH = ("status", "error_message", "last_health_check")
_OF_EVERY_CHANGE = ("version", "updatedAt")


def update_row(before: OwnedEntity, after: OwnedEntity) -> JsonObject:
    """The changed entity as a row, with the version that it had. Its status is None unless the change is about it.

    A check may have written its health since it was read, which a change of something else must not take back.
    """
    row = after.as_row()
    was = before.as_row()
    if all(row.get(name) == was.get(name) for name in _HEALTH):
        row["status"] = None
    return {**row, "before": before.version}


def apply_change(before: E, asked: JsonObject, at: str) -> E:
    """The entity with the fields that were asked for, by their published names."""
    return type(before).model_validate({**before.as_dict(), **asked, "version": before.version + 1, "updatedAt": at})


def audit_change(before: OwnedEntity, after: OwnedEntity, actor: str) -> list[AuditAction]:
    """The records of a change: the names of the fields that differ; sharing has a name of its own (platform 4)."""
    old, new = before.as_dict(), after.as_dict()
    fields: list[Json] = [name for name in new if new[name] != old[name] and name not in _OF_EVERY_CHANGE]
    verb = "share" if after.shared and not before.shared else "unshare" if before.shared > after.shared else "change"
    return [
        AuditAction(f"{after.kind}.{verb}", after.id, actor, after.owner_id, {"name": after.name, "fields": fields})
    ]
