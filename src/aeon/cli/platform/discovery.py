"""`aeon tool discover`: what an MCP server offers, as documents for `aeon apply`."""

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
    """What the user said of the server and of its tools. `secret` is the name of one of his."""

    service: str
    connection: JsonObject
    secret: str | None
    only: Sequence[str]
    allow_private: bool
    allow_insecure: bool = False


class _PlainDumper(yaml.SafeDumper):
    """Writes values out where they stand twice: no file that is applied may hold an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the base class passes it by name or place
        return True


def discover_tools(asked: DiscoveryRequest, user: str, *, as_json: bool) -> int:
    """Print the tools of a server as documents. Raises NotFoundError, RuleError, InputError, OperationError."""
    with platform_session(user) as platform:
        service = _service(platform, user, asked)
        offered = _select(_list_tools(platform, user, service, asked), asked.only)
        own = platform.catalog.tools.list_own(user, limit=_MAX_OWN)
        taken = {each.name for each in own if each.service_id != service.id}
    documents = [_document(each, asked) for each in offered]
    for document, name in zip(documents, _names(documents, asked.service, taken), strict=True):
        document["name"] = name
    print_data(indented_json(list[Json](documents)) if as_json else "---\n".join(map(as_yaml, documents)).rstrip())
    if not as_json:
        print_message(f"{len(documents)} tool(s); keep them with: aeon tool discover ... | aeon apply -")
    return ExitCode.DONE


def read_connection(argument: str) -> JsonObject:
    """The connection's parameters from the option. Raises InputError that names it."""
    try:
        return read_json_object(argument)
    except InputError as error:
        raise InputError(
            error.message.replace("input", "connection", 1),
            next_step="""Give a JSON object, such as --connection '{"command": "mcp-server-time"}'.""",
        ) from None


def as_yaml(document: JsonObject) -> str:
    """A document in plain ASCII, so that nothing in a server's own words can move a cursor or begin another one."""
    return yaml.dump(document, Dumper=_PlainDumper, sort_keys=False, allow_unicode=False, width=120)


def _service(platform: Platform, user: str, asked: DiscoveryRequest) -> Service:
    """The service, once the connection and the secret fit it."""
    service = platform.catalog.services.find(user, asked.service)
    if service.type != "mcp_server":
        raise RuleError(
            f"The service {service.name!r} is a {service.type}; only an mcp_server says what it offers.",
            rule="operation_matches_service",
        )
    if problems := compile_schema(service.connection_schema).problems(asked.connection):
        raise RuleError(
            f"The connection does not fit the service {service.name!r}: {'; '.join(map(str, problems))}.",
            rule="connection_params_valid",
            next_step="Give its parameters with --connection.",
        )
    if service.requires_secret and asked.secret is None:
        raise RuleError(
            f"The service {service.name!r} asks for a secret.",
            rule="secret_required",
            next_step="Name one of yours with --secret; see `aeon secret list`.",
        )
    return service


def _list_tools(platform: Platform, user: str, service: Service, asked: DiscoveryRequest) -> list[JsonObject]:
    secret = None
    if asked.secret is not None:
        found = platform.catalog.secrets.find_own(user, asked.secret)
        if found is None:
            raise NotFoundError(f"You have no secret named {asked.secret!r}.", next_step="See `aeon secret list`.")
        secret = platform.tokens.get_fresh(user, found.id, allow_private=asked.allow_private)
    return platform.mcp.list_tools(
        service.protocol,
        asked.connection,
        secret,
        allow_private=asked.allow_private,
        allow_insecure=asked.allow_insecure,
    )


def _select(offered: list[JsonObject], only: Sequence[str]) -> list[JsonObject]:
    names = [each["name"] for each in offered]
    if missing := [name for name in only if name not in names]:
        raise InputError(
            f"The server offers no {', '.join(missing)}.",
            next_step=f"It offers {', '.join(map(printable, names))}.",
        )
    return [each for each in offered if not only or each["name"] in only]


def _document(offered: JsonObject, asked: DiscoveryRequest) -> JsonObject:
    """A document of kind Tool, its name to be made valid yet."""
    operation: JsonObject = {"type": "mcp_call", "tool": offered["name"]}
    allowed = {"allowPrivate": asked.allow_private, "allowInsecure": asked.allow_insecure}
    secret: JsonObject = {"secret": asked.secret} if asked.secret is not None else {}
    return {
        "kind": "Tool",
        "name": offered["name"],
        "description": offered["description"][:_LONGEST_DESCRIPTION],
        "service": asked.service,
        **secret,
        "connectionParams": asked.connection,
        "operation": operation | {name: True for name, is_allowed in allowed.items() if is_allowed},
        "inputSchema": _usable(offered, "inputSchema", {"type": "object"}),
        "outputSchema": _usable(offered, "outputSchema", {}),
    }


def _usable(offered: JsonObject, which: str, otherwise: JsonObject) -> JsonObject:
    """The server's schema as it is; one that is none would be refused, and what it meant is not for us to guess."""
    schema = offered[which]
    problem = schema_problem(schema)
    if problem is None:
        return schema
    print_message(
        f"{printable(offered['name'])}: its {which} is left out, it is no valid JSON Schema: {printable(problem)}",
        "warning: ",
    )
    return otherwise


def _names(documents: Iterable[JsonObject], service: str, taken: set[str]) -> list[str]:
    """Valid names, each once, none that the user has given to a tool of another service."""
    names: list[str] = []
    for document in documents:
        plain = _valid(document["name"])
        wanted = [plain, _valid(f"{service}_{plain}")]
        numbered = (f"{plain[:50]}_{number}" for number in range(2, _MAX_OWN))
        names.append(next(name for name in (*wanted, *numbered) if name not in taken and name not in names))
    return names


def _valid(name: str) -> str:
    return _INVALID_CHARACTERS.sub("_", name)[:_LONGEST_NAME].strip("_") or "tool"
