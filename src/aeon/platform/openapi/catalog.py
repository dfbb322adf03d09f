"""Describes operations as catalog documents: one of a service, and one of a tool for each operation."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.catalog.model import Service, Tool
from aeon.platform.catalog.operations import RestRequest
from aeon.platform.openapi.api import Api, ApiOperation
from aeon.platform.openapi.security import SecurityScheme
from aeon.platform.vault import SecretType

_KEPT_OF_SERVICE = ("limits", "enabled", "shared")
_KEPT_OF_TOOL = ("enabled", "shared", "effect")
_KEPT_OF_OPERATION = ("timeout", "maxBytes")
"""What the user decided about things that exist already, which an import again does not change."""

_KEPT_AT_ENDPOINT = ("allowPrivate", "allowInsecure")
"""What the user allowed for an endpoint: kept as long as the endpoint is the same."""


class NamedSecret(NamedTuple):
    """The secret that a user names for the tools."""

    name: str
    type: SecretType


class ImportChoices(NamedTuple):
    """What the user decides about the tools; None or False: as they are, or as the document has it.

    `pages` is the most pages that a tool gets, 1 for tools that get one page.
    """

    service: str
    secret: NamedSecret | None = None
    pages: int | None = None
    allow_private: bool = False
    allow_insecure: bool = False


class SecretNeed(NamedTuple):
    """Tools that need a secret and got none: the types that fit, where it goes, and the tools."""

    types: tuple[SecretType, ...]
    place: str
    tools: tuple[str, ...]

    def as_dict(self) -> JsonObject:
        """As JSON data."""
        return {"types": [*self.types], "place": self.place, "tools": [*self.tools]}


def service_document(api: Api, protocol: str, name: str, existing: Service | None) -> CatalogDocument:
    """The document of the service over a protocol. What the user decided about an `existing` one stays.

    The default of its endpoint is that of the document's first operation, whichever are chosen.
    """
    endpoint = next(each.endpoint for each in api.operations if each.protocol == protocol)
    text: JsonObject = {"type": "string"}
    fields: JsonObject = {
        "name": name,
        "type": "rest_api",
        "protocol": protocol,
        "connectionSchema": {
            "type": "object",
            "required": ["endpoint"],
            "properties": {
                "endpoint": {"type": "string", "format": "uri", "default": endpoint},
                **dict.fromkeys(("authHeader", "authPrefix", "authQuery"), text),
            },
        },
    }
    if existing is not None:
        fields |= {field: existing.as_dict()[field] for field in _KEPT_OF_SERVICE}
        fields["requiresSecret"] = existing.requires_secret
    return CatalogDocument("Service", name, fields, api.title or "the document")


class ToolDocuments:
    """Makes the documents of tools, and collects which of them still need a secret."""

    def __init__(
        self, choices: ImportChoices, existing: Mapping[str, Tool], secrets: Mapping[str, NamedSecret]
    ) -> None:
        """`existing` are the user's tools of the service by name, `secrets` the user's secrets by id."""
        self._choices = choices
        self._existing = existing
        self._secrets = secrets
        self._needs: dict[tuple[tuple[SecretType, ...], str], list[str]] = {}
        self.notes: list[str] = []
        self.is_secret_used = False
        """Whether any tool takes the secret that the user names."""

    @property
    def needs(self) -> list[SecretNeed]:
        """The secrets that the tools need and did not get."""
        return [SecretNeed(types, place, tuple(tools)) for (types, place), tools in self._needs.items()]

    def document(self, operation: ApiOperation, name: str) -> CatalogDocument:
        """The document of the tool for an operation. What the user decided about an existing one stays."""
        existing = self._existing.get(name)
        is_same_place = existing is not None and existing.connection_params.get("endpoint") == operation.endpoint
        secret, scheme = self._secret(operation, name, existing if is_same_place else None)
        connection = {"endpoint": operation.endpoint, **({} if scheme is None else scheme.connection)}
        if existing is not None and existing.secret_id is not None and secret is None:
            self.notes.append(f"{name}: its secret is taken away: it would now go elsewhere, or in another way")
        kept = {} if existing is None else {field: existing.as_dict()[field] for field in _KEPT_OF_TOOL}
        fields: JsonObject = {
            "name": name,
            "description": operation.description,
            "service": self._choices.service,
            "connectionParams": connection,
            **self._forms(operation, existing, is_same_place=is_same_place),
            "inputSchema": operation.input_schema,
            **kept,
        }
        if secret is not None:
            scope = existing.secret_scope if existing is not None and is_same_place else None
            fields |= {"secret": secret, **({} if scope is None else {"secretScope": scope})}
        return CatalogDocument("Tool", name, fields, operation.pointer)

    def _forms(self, operation: ApiOperation, existing: Tool | None, *, is_same_place: bool) -> JsonObject:
        """The operation of a tool and its output schema, which depends on whether it gets all pages."""
        form, choices = dict(operation.operation), self._choices
        earlier: JsonObject = {} if existing is None else existing.operation.as_dict()
        form |= {name: earlier[name] for name in _KEPT_OF_OPERATION if name in earlier}
        if is_same_place:
            form |= {name: True for name in _KEPT_AT_ENDPOINT if earlier.get(name)}
        allowed = {"allowPrivate": choices.allow_private, "allowInsecure": choices.allow_insecure}
        form |= {name: True for name, is_allowed in allowed.items() if is_allowed}
        pages = choices.pages or _pages_of(existing)
        if operation.pages is None or pages == 1:
            return {"operation": form, "outputSchema": operation.output_schema}
        form["pagination"] = {**operation.pages.pagination, "maxPages": pages}
        return {"operation": form, "outputSchema": operation.pages.output_schema}

    def _secret(
        self, operation: ApiOperation, name: str, existing: Tool | None
    ) -> tuple[str | None, SecurityScheme | None]:
        """The name of the secret of a tool, and how it is sent; None without one.

        It is the one that the user names, else that of the `existing` tool, whose requests go to the same place.
        """
        schemes, is_optional = operation.security
        if (secret := self._choices.secret) is not None and (scheme := _fitting(secret, schemes)) is not None:
            self.is_secret_used = True
            return secret.name, scheme
        before = None if existing is None or existing.secret_id is None else self._secrets.get(existing.secret_id)
        if existing is not None and before is not None:
            sent = {key: part for key, part in existing.connection_params.items() if key.startswith("auth")}
            if not schemes:  # the user knows more than the document
                return before.name, SecurityScheme((before.type,), sent, "as before")
            if (scheme := _fitting(before, [each for each in schemes if each.connection == sent])) is not None:
                return before.name, scheme
        if schemes and not is_optional:
            self._needs.setdefault((schemes[0].types, schemes[0].place), []).append(name)
        return None, None


def _fitting(secret: NamedSecret, schemes: Sequence[SecurityScheme]) -> SecurityScheme | None:
    """The first scheme that a secret fits; None if it fits none."""
    return next((each for each in schemes if secret.type in each.types), None)


def _pages_of(tool: Tool | None) -> int:
    """The most pages that a tool gets; 1 without pagination."""
    operation = None if tool is None else tool.operation
    pagination = operation.pagination if isinstance(operation, RestRequest) else None
    return 1 if pagination is None else pagination.max_pages
