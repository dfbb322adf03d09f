"""Turns the tools that an MCP server offers into documents that can be applied."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import category, normalize

from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.base.json_schema import compile_schema, schema_problem
from aeon.base.next_steps import NextStep
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.model import Service
from aeon.platform.catalog.operations import SELF_COMMAND
from aeon.platform.errors import NotFoundError, RuleError

_LONGEST_NAME, _LONGEST_DESCRIPTION = 64, 4000
_MAX_OWN = 10_000


class DiscoveryRequest(NamedTuple):
    """Which tools to discover, and how to connect.

    `service` is a service of the type mcp_server, `secret` the name of one of the user's secrets. `only` names the
    wanted tools; all if it is empty.
    """

    service: str
    connection: JsonObject
    secret: str | None
    only: Sequence[str]
    allow_private: bool
    allow_insecure: bool = False


def discover_tools(platform: Platform, user: str, request: DiscoveryRequest) -> tuple[list[JsonObject], list[str]]:
    """Return a document of the kind Tool for each tool of a server, and a warning for each schema that is omitted.

    Raises NotFoundError, ForbiddenError, RuleError, InputError, OperationError.
    """
    service = _service(platform, user, request)
    if request.allow_private:
        platform.require_machine(user, "call private addresses")
    if service.protocol == "stdio" and request.connection.get("command") != SELF_COMMAND:
        platform.require_machine(user, "start programs")
    offered = _select(_list_tools(platform, user, service, request), request.only)
    own = platform.catalog.tools.list_own(user, limit=_MAX_OWN)
    taken = {each.name for each in own if each.service_id != service.id}
    warnings: list[str] = []
    documents = [_document(each, request, warnings) for each in offered]
    for document, name in zip(documents, _names(documents, request.service, taken), strict=True):
        document["name"] = name
    return documents, warnings


def _service(platform: Platform, user: str, request: DiscoveryRequest) -> Service:
    """Return the service. Raises RuleError if the connection or the secret does not match it."""
    service = platform.catalog.services.find(user, request.service)
    if service.type != "mcp_server":
        raise RuleError(
            f"The service {service.name!r} is a {service.type}; only an mcp_server can list its tools.",
            rule="operation_matches_service",
        )
    if problems := compile_schema(service.connection_schema).problems(request.connection):
        raise RuleError(
            f"The connection does not match the service {service.name!r}: {'; '.join(map(str, problems))}.",
            rule="connection_params_valid",
            next_step="Give its parameters with --connection.",
        )
    if service.requires_secret and request.secret is None:
        raise RuleError(
            f"The service {service.name!r} needs a secret.",
            rule="secret_required",
            next_step=NextStep("secrets.choose"),
        )
    return service


def _list_tools(platform: Platform, user: str, service: Service, request: DiscoveryRequest) -> list[JsonObject]:
    secret = None
    if request.secret is not None:
        stored = platform.catalog.secrets.find_own(user, request.secret)
        if stored is None:
            raise NotFoundError(f"You have no secret named {request.secret!r}.", next_step=NextStep("secrets.list"))
        secret = platform.tokens.get_fresh(user, stored.id, allow_private=request.allow_private)
    return platform.mcp.list_tools(
        service.protocol,
        request.connection,
        secret,
        allow_private=request.allow_private,
        allow_insecure=request.allow_insecure,
    )


def _select(offered: list[JsonObject], only: Sequence[str]) -> list[JsonObject]:
    names = [each["name"] for each in offered]
    if missing := [name for name in only if name not in names]:
        raise InputError(
            f"The server does not offer {', '.join(missing)}.",
            next_step=f"It offers {', '.join(names)}.",
        )
    return [each for each in offered if not only or each["name"] in only]


def _document(offered: JsonObject, request: DiscoveryRequest, warnings: list[str]) -> JsonObject:
    """Return a document of kind Tool; the caller replaces its name by a valid one. Adds `warnings`."""
    operation: JsonObject = {"type": "mcp_call", "tool": offered["name"]}
    allowed = {"allowPrivate": request.allow_private, "allowInsecure": request.allow_insecure}
    secret: JsonObject = {"secret": request.secret} if request.secret is not None else {}
    return {
        "kind": "Tool",
        "name": offered["name"],
        "description": offered["description"][:_LONGEST_DESCRIPTION],
        "service": request.service,
        **secret,
        "connectionParams": request.connection,
        "operation": operation | {name: True for name, is_allowed in allowed.items() if is_allowed},
        "inputSchema": _schema_or_default(offered, "inputSchema", {"type": "object"}, warnings),
        "outputSchema": _schema_or_default(offered, "outputSchema", {}, warnings),
    }


def _schema_or_default(offered: JsonObject, which: str, default: JsonObject, warnings: list[str]) -> JsonObject:
    """Return the server's schema unchanged, or `default` and a warning if the schema is invalid."""
    schema = offered[which]
    problem = schema_problem(schema)
    if problem is None:
        return schema
    warnings.append(f"{offered['name']}: its {which} is omitted: not a valid JSON Schema: {problem}")
    return default


def _names(documents: Iterable[JsonObject], service: str, taken: set[str]) -> list[str]:
    """Return valid, unique names that no tool of the user on another service has."""
    names: list[str] = []
    for document in documents:
        plain = _valid(document["name"])
        wanted = [plain, _valid(f"{service}_{plain}")]
        numbered = (f"{plain[:50]}_{number}" for number in range(2, _MAX_OWN))
        names.append(next(name for name in (*wanted, *numbered) if name not in taken and name not in names))
    return names


def _valid(name: str) -> str:
    """Return a name with its letters and digits of any script, and `_` in place of other characters."""
    kept = "".join(each if _is_kept(each) else " " for each in normalize("NFC", name))
    return "_".join(kept.split())[:_LONGEST_NAME].strip("_") or "tool"


def _is_kept(character: str) -> bool:
    """Whether a name keeps a character: also vowel signs and accents, which belong to the letter before."""
    return character.isalnum() or character in "_.-" or category(character).startswith("M")
