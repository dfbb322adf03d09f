"""The base repository of owned entities: visibility, permissions and refused changes."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.errors import ConflictError, ForbiddenError, NotFoundError, PlatformError, ReferencedError, RuleError
from aeon.platform.ledger import AuditAction, Ledger, Mutation
from aeon.platform.search.index import SearchHit, TextIndex
from aeon.platform.store import DuplicateError, GuardError, Query, Row, Store, UnitOfWork, write_one

E = TypeVar("E", bound=OwnedEntity)

DEFAULTS_OWNER = "aeon"
"""The user who owns the default catalog. It is shared; no other user may change it."""

_PAGE = 100
_MAX_USES = 100
"""The maximum number of uses of a thing that are listed."""


class EntityQueries(NamedTuple):
    """The queries of one kind, which all take `:user`.

    `shared` is None for kinds that other users never see. `one` takes `:id`; `named` takes `:name` and returns the id
    of the user's own thing; `own` and `shared` return a page by name and take `:after` and `:limit`, `shared` also
    `:after_id`, and both `:archived` if it applies; `visible` is a page of both, as `page_of_visible` says; `uses`
    returns kind, id, name, owner_id and visible of the things that use the thing with `:id`.
    """

    one: Query
    named: Query
    own: Query
    shared: Query | None
    visible: Query
    uses: Query


Ownership: TypeAlias = Literal["own", "shared", "all"]
"""Whose things: the user's own, those that others share with them, or both."""


class EntityPosition(NamedTuple):
    """A place in the list of what a user sees: own things by name come first, then shared ones by name."""

    is_shared: bool
    name: str
    id: str


class EntityFilter(NamedTuple):
    """Which things are listed: whose, and only those whose names begin with `prefix`; `archived` adds archived ones."""

    owner: Ownership = "all"
    prefix: str = ""
    archived: bool = False

    def bounds(self, after: EntityPosition | None) -> JsonObject:
        """Returns the parameters of the query of a page that begins after that position."""
        own = _bounds("own", self.prefix, is_left_out=self.owner == "shared" or (after is not None and after.is_shared))
        shared = _bounds("shared", self.prefix, is_left_out=self.owner == "own")
        if after is not None:
            part = "shared" if after.is_shared else "own"
            (shared if after.is_shared else own).update({f"{part}_after": after.name, f"{part}_after_id": after.id})
        return {**own, **shared, "archived": self.archived}


def _bounds(part: str, prefix: str, *, is_left_out: bool) -> JsonObject:
    before = "" if is_left_out else prefix + _AFTER_ALL_NAMES
    return {f"{part}_after": prefix, f"{part}_after_id": "", f"{part}_before": before}


_AFTER_ALL_NAMES = "\U0010ffff" * 201
"""Sorts after every name, which has at most 200 characters."""


class EntityUse(NamedTuple):
    """A thing that uses another one.

    `name` and `id` are None if the caller may not see it; `owner_id` is None too, unless the caller owns the used
    thing.
    """

    kind: str
    owner_id: str | None
    id: str | None
    name: str | None


def parse_use(row: Row, *, is_owner: bool) -> EntityUse:
    """Returns the use of a row, with only the fields that the caller may see (platform 2).

    Only the owner of a thing learns who uses it; the owner's audit log names the user as well (platform 19).
    """
    if row["visible"]:
        return EntityUse(row["kind"], row["owner_id"], row["id"], row["name"])
    return EntityUse(row["kind"], row["owner_id"] if is_owner else None, None, None)


class EntityRepository(Generic[E]):
    """The entities of one kind in the record."""

    kind: ClassVar[str] = ""
    """The kind under which a search finds them; empty if no search does."""

    list_step: ClassVar[str] = "catalog.list"
    """The code of the next step of a user who named one that is not there."""

    def __init__(self, store: Store, ledger: Ledger, read: Callable[[Row], E], queries: EntityQueries) -> None:
        self._store = store
        self._ledger = ledger
        self._read = read
        self._queries = queries
        self._search = TextIndex(store)

    def get(self, user: str, id_: str) -> E:
        """Returns an entity that the user owns or that is shared.

        Raises NotFoundError for every other id, so that nothing leaks (platform 2), and UnknownUserError for a user who
        does not exist, as does every method here that finds nothing for the user.
        """
        rows = self._store.read(self._queries.one, {"user": user, "id": id_})
        if not rows:
            self._ledger.require_user(user)
            raise NotFoundError(f"There is nothing with the id {id_!r} that you may see.")
        return self._read(rows[0])

    def get_own(self, user: str, id_: str) -> E:
        """Returns the user's own entity.

        Raises NotFoundError, and ForbiddenError for a shared one (platform 2).
        """
        entity = self.get(user, id_)
        if entity.owner_id != user:
            self._ledger.require_user(user)
            raise ForbiddenError(f"The {_word(entity.kind)} {entity.name!r} belongs to another user.")
        return entity

    def find_own(self, user: str, name: str) -> E | None:
        """Returns the user's own entity of that name, if any."""
        rows = self._store.read(self._queries.named, {"user": user, "name": name})
        return self.get(user, rows[0]["id"]) if rows else None

    def find(self, user: str, name: str) -> E:
        """Returns the user's own entity of that name, else the default catalog's, else one by id.

        Raises NotFoundError, which suggests similar names.
        """
        owners = (user, DEFAULTS_OWNER)
        results = [self._store.read(self._queries.named, {"user": owner, "name": name}) for owner in owners]
        ids = [row["id"] for each in results for row in each]
        for id_ in [*ids, name]:
            with suppress(NotFoundError):
                return self.get(user, id_)
        self._ledger.require_user(user)
        suggestion = self._suggestion(user, name)
        raise NotFoundError(
            f"There is nothing named {name!r}, or with that id, that you may see.",
            next_step=NextStep(self.list_step, suggestion=suggestion),
        )

    def list_own(self, user: str, after: str = "", limit: int = _PAGE, *, archived: bool = False) -> list[E]:
        """Returns the user's own entities by name, from the first after the name `after`."""
        params: JsonObject = {"user": user, "after": after, "limit": limit, "archived": archived}
        return [self._read(row) for row in self._store.read(self._queries.own, params)]

    def list_shared(
        self, user: str, after: tuple[str, str] = ("", ""), limit: int = _PAGE, *, archived: bool = False
    ) -> list[E]:
        """Returns shared entities by name and id, from the first after the name and id `after`."""
        if self._queries.shared is None:
            return []
        name, id_ = after
        params: JsonObject = {"user": user, "after": name, "after_id": id_, "limit": limit, "archived": archived}
        return [self._read(row) for row in self._store.read(self._queries.shared, params)]

    def list_visible(
        self, user: str, wanted: EntityFilter, after: EntityPosition | None = None, limit: int = _PAGE
    ) -> list[E]:
        """Returns a page of what the user sees: own things by name, then those that others share, by name and id."""
        params: JsonObject = {"user": user, "limit": limit, **wanted.bounds(after)}
        return [self._read(row) for row in self._store.read(self._queries.visible, params)]

    def list_uses(self, user: str, id_: str) -> list[EntityUse]:
        """Returns an entity's uses by all users.

        Uses that the caller may not see have no name (platform 2).
        """
        is_owner = self.get(user, id_).owner_id == user
        rows = self._store.read(self._queries.uses, {"user": user, "id": id_, "limit": _MAX_USES})
        return [parse_use(row, is_owner=is_owner) for row in rows]

    def create(
        self, work: Callable[[UnitOfWork], None], entity: E, mutation: Mutation, also: Sequence[AuditAction] = ()
    ) -> E:
        """Creates the entity by `work`, or returns the same mutation's earlier result (platform 20).

        `also` is recorded besides the creation. Raises ConflictError if a guard of `work` does not hold.
        """
        try:
            created = _lifecycle_action("create", entity, mutation.user)
            return self._commit(work, entity, mutation, [created, *also])
        except GuardError:
            word = _word(entity.kind)
            raise ConflictError(f"What the {word} {entity.name!r} refers to was changed in the meantime.") from None

    def replace(
        self, work: Callable[[UnitOfWork], None], entity: E, mutation: Mutation, actions: Sequence[AuditAction]
    ) -> E:
        """Writes the changed entity by `work`, which guards the previous version.

        Raises ConflictError if a guard does not hold.
        """
        try:
            return self._commit(self._expecting(work, mutation), entity, mutation, actions)
        except GuardError:
            current = self.get_own(mutation.user, entity.id)
            what = f"The {_word(entity.kind)} {current.name!r}"
            if current.version == entity.version - 1:
                what = f"What the {_word(entity.kind)} {current.name!r} refers to"
            raise ConflictError(f"{what} was changed in the meantime.") from None

    def delete(self, query: Query, mutation: Mutation) -> E | None:
        """Deletes an entity and returns it; None if the same mutation deleted it earlier.

        `query` takes `:id` and `:user`. Raises NotFoundError, ForbiddenError, and ReferencedError with its uses.
        """
        if self._ledger.earlier_answer(mutation) is not None:
            return None
        entity = self.get_own(mutation.user, mutation.target)
        work = write_one(query, {"id": entity.id, "user": mutation.user})
        try:
            action = _lifecycle_action("delete", entity, mutation.user)
            return self._commit(self._expecting(work, mutation), entity, mutation, [action])
        except GuardError:
            raise self._deletion_error(mutation.user, entity) from None

    def _expecting(self, work: Callable[[UnitOfWork], None], mutation: Mutation) -> Callable[[UnitOfWork], None]:
        """Adds the version check.

        Nobody can change it before `work` runs: every change locks its owner's audit log.
        """

        def version(unit: UnitOfWork) -> int | None:
            rows = unit.read(self._queries.one, {"user": mutation.user, "id": mutation.target})
            return rows[0]["version"] if rows else None

        return mutation.expecting(version, work)

    def _commit(
        self, work: Callable[[UnitOfWork], None], entity: E, mutation: Mutation, actions: Sequence[AuditAction]
    ) -> E:
        """Commits, and returns the entity or what the same mutation created earlier."""
        answer = entity.as_dict()
        try:
            committed = self._ledger.commit(work, mutation, actions, answer)
        except DuplicateError:
            raise RuleError(
                f"You already have a {_word(entity.kind)} named {entity.name!r}.",
                rule="name_unique",
                field="$.name",
                next_step="Choose another name, or change the existing one.",
            ) from None
        return entity if committed is answer else type(entity).model_validate(committed)

    def _suggestion(self, user: str, name: str) -> str:
        """Returns a question about similar names; empty if there are none (platform 2)."""
        names = [_search_name(hit, user) for hit in self._search.find_similar_names(user, name, self.kind)]
        return f"Did you mean {' or '.join(names)}? " if names else ""

    def _deletion_error(self, user: str, entity: E) -> PlatformError:
        uses = self.list_uses(user, entity.id)
        names = [use.name or f"a {use.kind} of {use.owner_id}" for use in uses]
        if not names:
            return ConflictError(f"The {_word(entity.kind)} {entity.name!r} was changed in the meantime.")
        return ReferencedError(
            f"The {_word(entity.kind)} {entity.name!r} is still used by {', '.join(names)}.",
            by=names,
            next_step="Disable it: what it answered or wrote keeps who made it."
            if any(use.kind in _KEEPS_ITS_MAKER for use in uses)
            else "Change or delete those first.",
        )


def _lifecycle_action(verb: str, entity: OwnedEntity, actor: str) -> AuditAction:
    return AuditAction(f"{entity.kind}.{verb}", entity.id, actor, entity.owner_id, {"name": entity.name})


def _search_name(hit: SearchHit, user: str) -> str:
    """Returns what `find` finds it by: its name, or its id if another user owns it."""
    return repr(hit.name) if hit.owner_id in (user, DEFAULTS_OWNER) else f"{hit.id} ({hit.name!r} of {hit.owner_id})"


def _word(kind: EntityKind) -> str:
    return {"serviceTemplate": "service template", "toolTemplate": "tool template"}.get(kind, kind)


_KEEPS_ITS_MAKER = frozenset({"conversation", "note", "described entity"})
"""What refers to a Process for good."""

_HEALTH = ("status", "error_message", "last_health_check")
_ALWAYS_CHANGED = ("version", "updatedAt")


def update_row(before: OwnedEntity, after: OwnedEntity) -> JsonObject:
    """Returns the changed entity as a row with its previous version.

    Its status is None unless the change is about it. A check may have written its health since it was read; a change of
    other fields must not overwrite that.
    """
    row = after.as_row()
    was = before.as_row()
    if all(row.get(name) == was.get(name) for name in _HEALTH):
        row["status"] = None
    return {**row, "before": before.version}


def apply_change(before: E, changes: JsonObject, at: str) -> E:
    """Returns the entity with the changed fields, given by their published names."""
    return type(before).model_validate({**before.as_dict(), **changes, "version": before.version + 1, "updatedAt": at})


def audit_change(before: OwnedEntity, after: OwnedEntity, actor: str) -> list[AuditAction]:
    """Returns the audit actions of a change.

    They contain the names of changed fields; sharing has actions of its own (platform 4).
    """
    old, new = before.as_dict(), after.as_dict()
    names = {**new, **old}  # a field that is not set is in neither
    fields: list[Json] = [name for name in names if new.get(name) != old.get(name) and name not in _ALWAYS_CHANGED]
    verb = "share" if after.shared and not before.shared else "unshare" if before.shared > after.shared else "change"
    return [
        AuditAction(f"{after.kind}.{verb}", after.id, actor, after.owner_id, {"name": after.name, "fields": fields})
    ]
