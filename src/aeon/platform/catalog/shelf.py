"""The things of one kind: who may see one, who may change it, and why a change came to nothing."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from aeon.base.json import Json, JsonObject
from aeon.platform.audit import Deed
from aeon.platform.catalog.model import Kind, Owned
from aeon.platform.errors import ConflictError, ForbiddenError, NotFoundError, PlatformError, ReferencedError, RuleError
from aeon.platform.graph import DuplicateError, GraphStore, GuardError, Row
from aeon.platform.ledger import Ledger, Request
from aeon.platform.records import KEY_SEPARATOR, name_key, ordered

E = TypeVar("E", bound=Owned)

DEFAULTS_OWNER = "aeon"
"""Whose the default catalog is. It is shared; nobody else may change it."""

_PAGE = 100
_MOST_USERS = 100
"""Of those that use a thing, how many are named."""


@dataclass(frozen=True, slots=True)
class KindQueries:
    """What is asked about one kind. Those of `shared` are None where others never see anything."""

    one: str
    named: str
    own: str
    shared: str | None
    users: str


class Use(NamedTuple):
    """One thing that uses another. `name` and `id` are None where the caller may not see it."""

    kind: str
    owner_id: str
    id: str | None
    name: str | None


class Shelf(Generic[E]):
    """The things of one kind in the graph."""

    def __init__(self, store: GraphStore, ledger: Ledger, read: Callable[[Row], E], queries: KindQueries) -> None:
        self._store = store
        self._ledger = ledger
        self._read = read
        self._queries = queries

    def get(self, user: str, id_: str) -> E:
        """What the user owns or what is shared. Raises NotFoundError for all else, so nothing leaks (platform 2)."""
        found = self._store.read(self._queries.one, {"user": user, "id": id_})
        if not found:
            raise NotFoundError(f"There is nothing with the id {id_!r} that you may see.")
        return self._read(found[0])

    def own(self, user: str, id_: str) -> E:
        """What the user owns. Raises NotFoundError, and ForbiddenError where he sees what is another's (platform 2)."""
        found = self.get(user, id_)
        if found.owner_id != user:
            raise ForbiddenError(f"The {_word(found.kind)} {found.name!r} belongs to somebody else.")
        return found

    def by_name(self, user: str, name: str) -> E | None:
        """The user's own thing of that name."""
        found = self._store.read(self._queries.named, {"nameKey": name_key(user, name)})
        return self.get(user, found[0]["id"]) if found else None

    def find(self, user: str, name: str) -> E:
        """The user's own of that name, else the default catalog's, else whatever has it for an id and he may see.

        Raises NotFoundError.
        """
        keys = [name_key(owner, name) for owner in (user, DEFAULTS_OWNER)]
        ids = [row["id"] for key in keys for row in self._store.read(self._queries.named, {"nameKey": key})]
        for id_ in [*ids, name]:
            with suppress(NotFoundError):
                return self.get(user, id_)
        raise NotFoundError(
            f"There is nothing named {name!r}, or with that id, that you may see.",
            next_step="See `aeon catalog list`; what Aeon ships is there after `aeon up`.",
        )

    def page_of_own(self, user: str, after: str = "", limit: int = _PAGE, *, archived: bool = False) -> list[E]:
        """The user's own by name, those after the name `after`."""
        start, end = name_key(user, after), ordered(f"{user}{chr(ord(KEY_SEPARATOR) + 1)}")
        params: JsonObject = {"user": user, "after": start, "end": end, "limit": limit, "archived": archived}
        return [self._read(row) for row in self._store.read(self._queries.own, params)]

    def page_of_shared(
        self, user: str, after: tuple[str, str] = ("", ""), limit: int = _PAGE, *, archived: bool = False
    ) -> list[E]:
        """What others share, by name and id, those after the name and id `after`."""
        if self._queries.shared is None:
            return []
        key = ordered(KEY_SEPARATOR.join(after)) if any(after) else ""
        params: JsonObject = {"user": user, "after": key, "limit": limit, "archived": archived}
        return [self._read(row) for row in self._store.read(self._queries.shared, params)]

    def users_of(self, user: str, id_: str) -> list[Use]:
        """What uses it, other users' things too; what the caller may not see stays without a name (platform 2)."""
        self.get(user, id_)
        rows = self._store.read(self._queries.users, {"user": user, "id": id_, "limit": _MOST_USERS})
        return [
            Use(row["kind"], row["ownerId"], row["id"], row["name"])
            if row["visible"]
            else Use(row["kind"], row["ownerId"], None, None)
            for row in rows
        ]

    def create(
        self, query: str, entity: E, request: Request, params: Mapping[str, Json], also: Sequence[Deed] = ()
    ) -> E:
        """Put it there with `query`, or give what the same request created before (platform 20).

        `also` is recorded besides its creation.
        """
        if (earlier := self._ledger.answer(request)) is not None:
            return type(entity).model_validate(earlier)
        try:
            created = _came_or_went("create", entity, request.user)
            return self._committed(query, entity, request, params, [created, *also])
        except GuardError:
            word = _word(entity.kind)
            raise ConflictError(f"What the {word} {entity.name!r} refers to was changed in the meantime.") from None

    def replace(self, query: str, entity: E, request: Request, params: Mapping[str, Json], deeds: Sequence[Deed]) -> E:
        """Write the changed entity over the one it was made from; raises ConflictError when that has changed since."""
        if (earlier := self._ledger.answer(request)) is not None:
            return type(entity).model_validate(earlier)
        try:
            return self._committed(query, entity, request, {"version": entity.version - 1, **params}, deeds)
        except GuardError:
            current = self.own(request.user, entity.id)
            what = f"The {_word(entity.kind)} {current.name!r}"
            if current.version == entity.version - 1:
                what = f"What the {_word(entity.kind)} {current.name!r} refers to"
            raise ConflictError(f"{what} was changed in the meantime.") from None

    def delete(self, query: str, id_: str, request: Request) -> E | None:
        """What was deleted; None when the same request deleted it before.

        Raises NotFoundError, ForbiddenError, and ReferencedError with what uses it.
        """
        if self._ledger.answer(request) is not None:
            return None
        entity = self.own(request.user, id_)
        try:
            return self._committed(query, entity, request, {}, [_came_or_went("delete", entity, request.user)])
        except GuardError:
            raise self._still_used(request.user, entity) from None

    def _committed(
        self, query: str, entity: E, request: Request, params: Mapping[str, Json], deeds: Sequence[Deed]
    ) -> E:
        """The entity, or what the same request made while this one was under way."""
        try:
            given: JsonObject = {"id": entity.id, "user": request.user, **params}
            made = self._ledger.commit(query, given, request, deeds, entity.as_dict())
            return type(entity).model_validate(made)
        except DuplicateError:
            raise RuleError(
                f"You have a {_word(entity.kind)} named {entity.name!r} already.",
                rule="name_unique",
                field="$.name",
                next_step="Choose another name, or change the one that is there.",
            ) from None

    def _still_used(self, user: str, entity: E) -> PlatformError:
        names = [use.name or f"a {use.kind} of {use.owner_id}" for use in self.users_of(user, entity.id)]
        if not names:
            return ConflictError(f"The {_word(entity.kind)} {entity.name!r} was changed in the meantime.")
        return ReferencedError(
            f"The {_word(entity.kind)} {entity.name!r} is still used by {', '.join(names)}.",
            by=names,
            next_step="Change or delete those first.",
        )


def _came_or_went(verb: str, entity: Owned, actor: str) -> Deed:
    return Deed(f"{entity.kind}.{verb}", entity.id, actor, entity.owner_id, {"name": entity.name})


def _word(kind: Kind) -> str:
    return {"serviceTemplate": "service template", "toolTemplate": "tool template"}.get(kind, kind)
