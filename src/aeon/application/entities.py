"""What one user does with the stored things of one kind, such as services or Processes."""

import builtins
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from aeon.application.argument_types import read_record, require_argument
from aeon.application.pages import MAX_PAGE, Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.base.json import JsonObject
from aeon.platform.catalog.model import OwnedEntity
from aeon.platform.catalog.repository import DEFAULTS_OWNER, EntityFilter, EntityPosition, EntityUse, Ownership
from aeon.platform.ledger import MutationRequest
from aeon.platform.records import Record

__all__ = ["DEFAULTS_OWNER", "ChangeableEntities", "EntityService", "EntityUse", "Ownership"]

E = TypeVar("E", bound=OwnedEntity)
E_co = TypeVar("E_co", bound=OwnedEntity, covariant=True)
N = TypeVar("N", bound=Record)
N_contra = TypeVar("N_contra", bound=Record, contravariant=True)
C = TypeVar("C", bound=Record)
C_contra = TypeVar("C_contra", bound=Record, contravariant=True)


class ChangeableEntities(Protocol[E_co, N_contra, C_contra]):
    """The repository of one kind, for all users."""

    def find(self, user: str, name: str) -> E_co: ...
    def get_own(self, user: str, id_: str) -> E_co: ...
    def list_visible(
        self, user: str, wanted: EntityFilter, after: EntityPosition | None = ..., limit: int = ...
    ) -> Sequence[E_co]: ...
    def list_uses(self, user: str, id_: str) -> list[EntityUse]: ...
    def add(self, new: N_contra, request: MutationRequest) -> E_co: ...
    def change(self, id_: str, change: C_contra, request: MutationRequest) -> E_co: ...
    def remove(self, id_: str, request: MutationRequest) -> None: ...


class EntityService(Generic[E, N, C]):
    """The things of one kind that a user owns or sees. Every method raises StoreError.

    What is new or changed is a record of the platform, or a dictionary with its published names (`initialContext`).
    """

    def __init__(
        self, repository: ChangeableEntities[E, N, C], user: str, new_type: type[N], change_type: type[C]
    ) -> None:
        self._repository = repository
        self._user = user
        self._new_type = new_type
        self._change_type = change_type

    def get(self, name: str) -> E:
        """The thing of that name or id.

        The user's own comes first, then one that Aeon ships, then a visible one with that id. Raises NotFoundError.
        """
        require_argument(name, str, "name", "a name or an id")
        return self._repository.find(self._user, name)

    def list(
        self,
        *,
        owner: Ownership = "all",
        prefix: str = "",
        archived: bool = False,
        after: str | None = None,
        limit: int = MAX_PAGE,
    ) -> Page[E]:
        """A page of the user's own things by name, then of those that others share, by name.

        `owner` limits it to "own" or "shared" things, `prefix` to names that begin with it; `archived` adds archived
        templates. `after` is the cursor of the page before. Raises RuleError for an invalid cursor or limit.
        """
        wanted = EntityFilter(owner, prefix, archived)
        position = None if after is None else EntityPosition(*decode_cursor(after, bool, str, str))
        found = self._repository.list_visible(self._user, wanted, position, checked_limit(limit) + 1)
        last = found[min(limit, len(found)) - 1] if found else None
        cursor = "" if last is None else encode_cursor([last.owner_id != self._user, last.name, last.id])
        return page_of(found, limit, cursor)

    def list_all(self, *, owner: Ownership = "all", archived: bool = False) -> "builtins.list[E]":
        """All pages of `list` in one: the user's own things by name, then those that others share."""
        page = self.list(owner=owner, archived=archived)
        found = [*page.items]
        while page.next_cursor is not None:
            page = self.list(owner=owner, archived=archived, after=page.next_cursor)
            found += page.items
        return found

    def list_uses(self, name: str) -> "builtins.list[EntityUse]":
        """What depends on a thing; the things that the user may not see have no names. Raises NotFoundError."""
        return self._repository.list_uses(self._user, self.get(name).id)

    def add(self, new: N | JsonObject, *, key: str | None = None) -> E:
        """Create a thing; the same `key` again returns the same one.

        Raises RuleError with everything that is wrong.
        """
        record = read_record(new, self._new_type, "new")
        return self._repository.add(record, MutationRequest(self._user, key))

    def change(
        self, name: str, change: C | JsonObject, *, key: str | None = None, expected_version: int | None = None
    ) -> E:
        """Change the user's own thing; fields that are not named stay, and without any nothing changes.

        `expected_version` is the `version` that the caller has read. Raises NotFoundError, ForbiddenError, RuleError,
        ConflictError, and VersionError if it has another version by now.
        """
        record = read_record(change, self._change_type, "change")
        request = MutationRequest(self._user, key, expected_version)
        id_ = self.get(name).id
        if not record.model_fields_set:
            own = self._repository.get_own(self._user, id_)
            request.require_version(own.version)
            return own
        return self._repository.change(id_, record, request)

    def remove(self, name: str, *, key: str | None = None, expected_version: int | None = None) -> None:
        """Delete the user's own thing.

        Raises NotFoundError, ForbiddenError, ReferencedError with what uses it, and VersionError as `change` does.
        """
        self._repository.remove(self.get(name).id, MutationRequest(self._user, key, expected_version))
