"""`aeon tool discover`: prints the tools of an MCP server as documents for `aeon apply`."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import yaml

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import compile_schema, schema_problem
from aeon.bootstrap.platform import Platform
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import read_json_object
from aeon.cli.platform.session import platform_session
from aeon.cli.text import indented_json, printable
from aeon.platform.catalog.model import Service
from aeon.platform.errors import NotFoundError, RuleError

_INVALID_CHARACTERS = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_NAME, _LONGEST_DESCRIPTION = 64, 4000
_MAX_OWN = 10_000


class DiscoveryRequest(NamedTuple):
    """The options of `aeon tool discover`. `secret` is the name of one of the user's secrets."""

    service: str
    connection: JsonObject
    secret: str | None
    only: Sequence[str]
    allow_private: bool
    allow_insecure: bool = False


class _PlainDumper(yaml.SafeDumper):
    """Writes repeated values in full: `aeon apply` accepts no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the base class passes it by name or position
        return True


def discover_tools(request: DiscoveryRequest, user: str, *, as_json: bool) -> int:
    """Print the tools of a server as documents. Raises NotFoundError, RuleError, InputError, OperationError."""
    with platform_session(user) as platform:
        service = _service(platform, user, request)
        offered = _select(_list_tools(platform, user, service, request), request.only)
        own = platform.catalog.tools.list_own(user, limit=_MAX_OWN)
        taken = {each.name for each in own if each.service_id != service.id}
    documents = [_document(each, request) for each in offered]
    for document, name in zip(documents, _names(documents, request.service, taken), strict=True):
        document["name"] = name
    print_data(indented_json(list[Json](documents)) if as_json else "---\n".join(map(as_yaml, documents)).rstrip())
    if not as_json:
        print_message(f"{len(documents)} tool(s); save them with: aeon tool discover ... | aeon apply -")
    return ExitCode.DONE


def read_connection(argument: str) -> JsonObject:
    """Return the connection's parameters from the option. Raises an InputError that names the option."""
    try:
        return read_json_object(argument)
    except InputError as error:
        raise InputError(
            error.message.replace("input", "connection", 1),
            next_step="""Give a JSON object, such as --connection '{"command": "mcp-server-time"}'.""",
        ) from None


def as_yaml(document: JsonObject) -> str:
    """Return a document as ASCII YAML: a server's text cannot move the cursor or begin another document."""
    return yaml.dump(document, Dumper=_PlainDumper, sort_keys=False, allow_unicode=False, width=120)


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
            next_step="Name one of yours with --secret; see `aeon secret list`.",
        )
    return service


def _list_tools(platform: Platform, user: str, service: Service, request: DiscoveryRequest) -> list[JsonObject]:
    secret = None
    if request.secret is not None:
        stored = platform.catalog.secrets.find_own(user, request.secret)
        if stored is None:
            raise NotFoundError(f"You have no secret named {request.secret!r}.", next_step="See `aeon secret list`.")
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
            next_step=f"It offers {', '.join(map(printable, names))}.",
        )
    return [each for each in offered if not only or each["name"] in only]


def _document(offered: JsonObject, request: DiscoveryRequest) -> JsonObject:
    """Return a document of kind Tool; the caller replaces its name by a valid one."""
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
        "inputSchema": _schema_or_default(offered, "inputSchema", {"type": "object"}),
        "outputSchema": _schema_or_default(offered, "outputSchema", {}),
    }


def _schema_or_default(offered: JsonObject, which: str, default: JsonObject) -> JsonObject:
    """Return the server's schema unchanged, or `default` with a warning if the schema is invalid."""
    schema = offered[which]
    problem = schema_problem(schema)
    if problem is None:
        return schema
    print_message(
        f"{printable(offered['name'])}: its {which} is omitted: not a valid JSON Schema: {printable(problem)}",
        "warning: ",
    )
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
    return _INVALID_CHARACTERS.sub("_", name)[:_LONGEST_NAME].strip("_") or "tool"
