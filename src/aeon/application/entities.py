"""What one user does with the stored things of one kind, such as services or Processes."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from aeon.base.json import JsonObject
from aeon.platform.catalog.model import OwnedEntity
from aeon.platform.catalog.repository import EntityUse
from aeon.platform.ledger import MutationRequest
from aeon.platform.records import Record

E = TypeVar("E", bound=OwnedEntity)
E_co = TypeVar("E_co", bound=OwnedEntity, covariant=True)
N = TypeVar("N", bound=Record)
N_contra = TypeVar("N_contra", bound=Record, contravariant=True)
C = TypeVar("C", bound=Record)
C_contra = TypeVar("C_contra", bound=Record, contravariant=True)

_LIST_LIMIT = 1000


class ChangeableEntities(Protocol[E_co, N_contra, C_contra]):
    """The repository of one kind, for all users."""

    def find(self, user: str, name: str) -> E_co: ...
    def list_own(self, user: str, after: str = "", limit: int = ..., *, archived: bool = ...) -> Sequence[E_co]: ...
    def list_shared(
        self, user: str, after: tuple[str, str] = ..., limit: int = ..., *, archived: bool = ...
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
        return self._repository.find(self._user, name)

    def list_all(self, *, archived: bool = False) -> list[E]:
        """The user's own things by name, then those that others share; `archived` adds archived templates."""
        own = self._repository.list_own(self._user, limit=_LIST_LIMIT, archived=archived)
        shared = self._repository.list_shared(self._user, limit=_LIST_LIMIT, archived=archived)
        return [*own, *(each for each in shared if each.owner_id != self._user)]

    def list_own(self) -> list[E]:
        """The user's own things by name."""
        return list(self._repository.list_own(self._user, limit=_LIST_LIMIT))

    def list_uses(self, name: str) -> list[EntityUse]:
        """What depends on a thing; the things that the user may not see have no names. Raises NotFoundError."""
        return self._repository.list_uses(self._user, self.get(name).id)

    def add(self, new: N | JsonObject, *, key: str | None = None) -> E:
        """Create a thing; the same `key` again returns the same one.

        Raises RuleError with everything that is wrong.
        """
        record = self._new_type.parsed(new) if isinstance(new, dict) else new
        return self._repository.add(record, MutationRequest(self._user, key))

    def change(self, name: str, change: C | JsonObject, *, key: str | None = None) -> E:
        """Change the user's own thing; fields that are not named stay.

        Raises NotFoundError, ForbiddenError, RuleError, ConflictError.
        """
        record = self._change_type.parsed(change) if isinstance(change, dict) else change
        return self._repository.change(self.get(name).id, record, MutationRequest(self._user, key))

    def remove(self, name: str, *, key: str | None = None) -> None:
        """Delete the user's own thing. Raises NotFoundError, and ReferencedError with what uses it."""
        self._repository.remove(self.get(name).id, MutationRequest(self._user, key))
