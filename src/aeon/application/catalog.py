"""`CatalogService`: stored things of any kind, by the name of their kind."""

import builtins
from typing import Any, Protocol, TypeAlias

from aeon.application.entities import EntityService
from aeon.application.pages import Page
from aeon.base.errors import InputError
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog import model
from aeon.platform.catalog.model import OwnedEntity
from aeon.platform.catalog.repository import EntityUse, Ownership
from aeon.platform.search.index import INDEXED_LABELS, SearchHit, TextIndex

__all__ = ["AnyEntities", "CatalogService", "EntityUse", "SearchHit", "Services"]

TEMPLATE_KINDS = ("serviceTemplate", "toolTemplate")


class AnyEntities(Protocol):
    """The things of one kind, for callers that learn the kind at run time. `EntityService` says what each does."""

    def get(self, name: str) -> OwnedEntity: ...
    def list(
        self,
        *,
        owner: Ownership = ...,
        prefix: str = ...,
        archived: bool = ...,
        after: str | None = ...,
        limit: int = ...,
    ) -> Page[OwnedEntity]: ...
    def list_uses(self, name: str) -> "builtins.list[EntityUse]": ...
    def add(self, new: Any, *, key: str | None = ...) -> OwnedEntity: ...
    def change(
        self, name: str, change: Any, *, key: str | None = ..., expected_version: int | None = ...
    ) -> OwnedEntity: ...
    def remove(self, name: str, *, key: str | None = ..., expected_version: int | None = ...) -> None: ...


Services: TypeAlias = EntityService[model.Service, model.NewService, model.ServiceChange]


class CatalogService:
    """The stored things that a user owns or sees, of every kind."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        self._platform = platform
        self._user = user

    def of_kind(self, kind: str) -> AnyEntities:
        """The things of one kind, such as `service` or `toolTemplate`. Raises InputError for an unknown kind."""
        catalog, user = self._platform.catalog, self._user
        match kind:
            case "service":
                return EntityService(catalog.services, user, model.NewService, model.ServiceChange)
            case "secret":
                return EntityService(catalog.secrets, user, model.NewSecret, model.SecretChange)
            case "tool":
                return EntityService(catalog.tools, user, model.NewTool, model.ToolChange)
            case "serviceTemplate":
                return EntityService(catalog.service_templates, user, model.NewServiceTemplate, model.TemplateChange)
            case "toolTemplate":
                return EntityService(catalog.tool_templates, user, model.NewToolTemplate, model.TemplateChange)
            case "process":
                from aeon.platform.processes.model import NewProcess, ProcessChange  # slow to load

                return EntityService(self._platform.processes, user, NewProcess, ProcessChange)
            case _:
                kinds = "service, secret, tool, serviceTemplate, toolTemplate, process"
                raise InputError(f"There is no kind {kind!r}.", next_step=f"Name one of {kinds}.")

    def rename(
        self, kind: str, name: str, new: str, *, key: str | None = None, expected_version: int | None = None
    ) -> OwnedEntity:
        """Rename the user's own thing; references to it stay valid.

        Raises RuleError if the name is taken, and the errors of `EntityService.change`.
        """
        return self.of_kind(kind).change(name, {"name": new}, key=key, expected_version=expected_version)

    def archive(
        self,
        kind: str,
        name: str,
        *,
        is_archived: bool = True,
        key: str | None = None,
        expected_version: int | None = None,
    ) -> OwnedEntity:
        """Archive the user's own template, or restore it.

        Raises InputError for another kind than templates, and the errors of `EntityService.change`.
        """
        if kind not in TEMPLATE_KINDS:
            raise InputError(
                f"A {kind} cannot be archived.", next_step="Disable it: `enabled: false` in the file you apply."
            )
        return self.of_kind(kind).change(name, {"archived": is_archived}, key=key, expected_version=expected_version)

    def search(self, text: str, kind: str | None = None) -> list[SearchHit]:
        """The things whose names or descriptions match the words, best first. Raises InputError for another kind."""
        if kind is not None and kind not in INDEXED_LABELS:
            raise InputError(
                f"Items of the kind {kind!r} cannot be searched.", next_step=f"Name one of {', '.join(INDEXED_LABELS)}."
            )
        return TextIndex(self._platform.store).search(self._user, text, None if kind is None else [kind])
