"""How an MCP server is reached: as a process of ours over its pipes, or over HTTP with the secret as a bearer."""

import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import anyio.to_thread
import httpx2

from aeon.adapters.operations.host_addresses import (
    HostResolver,
    allowed_addresses,
    first_listening_address,
    refuse_readable_key,
)
from aeon.adapters.operations.http_client import PinnedTransport, check_headers, port_of
from aeon.adapters.operations.tls import client_context, is_certificate, require_tls
from aeon.adapters.vault import MASTER_KEY_VARIABLE
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.catalog.trust import SELF_COMMAND
from aeon.platform.vault import SecretValue

if TYPE_CHECKING:
    from mcp.client import Transport

OWN_COMMAND: Final = SELF_COMMAND
"""The command that is Aeon's own MCP server, wherever and as whatever this Aeon runs."""

_INHERITED = ("PATH", "HOME", "LANG", "XDG_STATE_HOME")
_CONNECT_SECONDS = 10.0
_READ_TIMEOUT = 310.0
"""Longer than any operation may take, so that its own limit is what ends it."""


class McpEndpoint(NamedTuple):
    """A server, as whom it is asked, and where it may be (see `HttpSender`). `user`: for Aeon itself alone."""

    protocol: str
    connection: JsonObject
    secret: SecretValue | None
    allow_private: bool
    user: str = ""
    allow_insecure: bool = False


class McpTransportContext(NamedTuple):
    """What it takes to get there: the environment of processes, how names are resolved, who hears of a 401."""

    environ: Mapping[str, str]
    resolve: HostResolver
    on_unauthorized: Callable[[], None]


def transport(reach: McpEndpoint, way: McpTransportContext) -> "Transport":
    """What a client connects through. Raises OperationError for a connection that cannot be used."""
    if reach.protocol == "stdio":
        return _process(reach, way.environ)
    endpoint, headers = _endpoint(reach.connection), _bearer(reach.secret)
    require_tls(endpoint.scheme, reach.secret)
    check_headers(headers)
    return cast("Transport", (_events if reach.protocol == "sse" else _streamable)(endpoint, headers, reach, way))


@asynccontextmanager
async def _process_streams(parameters: Any) -> AsyncGenerator[Any]:
    """What the process says beside the protocol is nobody's: it would land in the middle of the user's own output."""
    from mcp.client.stdio import stdio_client

    with Path("/dev/null").open("w") as unheard:  # noqa: ASYNC230  # opens at once
        async with stdio_client(parameters, unheard) as streams:
            yield streams


@asynccontextmanager
async def _streamable(
    endpoint: httpx2.URL, headers: dict[str, str], reach: McpEndpoint, way: McpTransportContext
) -> AsyncGenerator[Any]:
    from mcp.client.streamable_http import streamable_http_client

    async with (
        await _http_client(endpoint, headers, reach, way) as client,
        streamable_http_client(str(endpoint), http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def _events(
    endpoint: httpx2.URL, headers: dict[str, str], reach: McpEndpoint, way: McpTransportContext
) -> AsyncGenerator[Any]:
    from mcp.client.sse import sse_client

    client = await _http_client(endpoint, headers, reach, way)

    def made(**_options: Any) -> httpx2.AsyncClient:
        return client

    async with sse_client(str(endpoint), httpx_client_factory=cast(Any, made)) as streams:
        yield streams


async def _http_client(
    endpoint: httpx2.URL, headers: dict[str, str], reach: McpEndpoint, way: McpTransportContext
) -> httpx2.AsyncClient:
    """A client for the one address that was checked, so that no redirect and no new look-up leads elsewhere."""
    address = await anyio.to_thread.run_sync(partial(_address, endpoint, reach, way), abandon_on_cancel=True)
    verify = client_context(endpoint.scheme, reach.connection, reach.secret)
    pinned = PinnedTransport(endpoint.host, address, verify, way.on_unauthorized)
    limits = httpx2.Timeout(_CONNECT_SECONDS, read=_READ_TIMEOUT)
    return httpx2.AsyncClient(headers=headers, timeout=limits, trust_env=False, transport=pinned)


def _address(endpoint: httpx2.URL, reach: McpEndpoint, way: McpTransportContext) -> str:
    port = port_of(endpoint)
    addresses = allowed_addresses(endpoint.host, port, way.resolve, allow_private=reach.allow_private)
    if reach.secret is not None and not reach.allow_insecure:
        refuse_readable_key(endpoint.scheme, endpoint.host, addresses)
    return first_listening_address(addresses, port)


def _process(reach: McpEndpoint, environ: Mapping[str, str]) -> "Transport":
    """A process that gets of this one's environment no more than it takes to run (platform 3).

    The SDK adds the login's name, shell and terminal by itself.
    """
    from mcp.client.stdio import StdioServerParameters

    if reach.secret is not None:
        raise OperationError(
            "a server over stdio takes no secret", next_step="Reach it over http, or take the secret off the tool."
        )
    command, arguments, env = (_own_command if reach.connection["command"] == OWN_COMMAND else _program_command)(
        reach, environ
    )
    return cast("Transport", _process_streams(StdioServerParameters(command=command, args=arguments, env=env)))


class _ServerCommand(NamedTuple):
    """How a process is started."""

    command: str
    arguments: list[str]
    env: dict[str, str]


def _own_command(reach: McpEndpoint, environ: Mapping[str, str]) -> _ServerCommand:
    """This very interpreter. It is Aeon, with Aeon's settings and the model's key; it has no need to open the vault."""
    if reach.connection.keys() != {"command"}:
        raise OperationError(f"the command {OWN_COMMAND} takes no arguments and no environment")
    env = {name: value for name, value in environ.items() if name != MASTER_KEY_VARIABLE}
    whose = [f"--user={reach.user}"] if reach.user else []
    return _ServerCommand(sys.executable, ["-m", "aeon", "mcp", *whose], env)


def _program_command(reach: McpEndpoint, environ: Mapping[str, str]) -> _ServerCommand:
    arguments, own = reach.connection.get("args", []), reach.connection.get("env", {})
    if not _are_texts(arguments) or not isinstance(own, dict) or not _are_texts(list(cast(JsonObject, own).values())):
        raise OperationError("the connection's `args` must be a list of texts, its `env` an object of texts")
    inherited = {name: environ[name] for name in _INHERITED if name in environ}
    return _ServerCommand(str(reach.connection["command"]), arguments, {**inherited, **cast("dict[str, str]", own)})


def _are_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in cast("list[Json]", value))


def _endpoint(connection: JsonObject) -> httpx2.URL:
    try:
        endpoint = httpx2.URL(str(connection.get("endpoint", "")))
    except httpx2.InvalidURL:
        endpoint = httpx2.URL("")
    if endpoint.scheme not in ("http", "https") or not endpoint.host or endpoint.userinfo:
        raise OperationError("the endpoint must be an http or https address without a user or a password")
    return endpoint


def _bearer(secret: SecretValue | None) -> dict[str, str]:
    if secret is None or is_certificate(secret):
        return {}
    value = secret.reveal()
    token = value.get("key") or value.get("access_token")
    if token is None:
        raise OperationError(
            "a secret of this type cannot be a bearer", next_step="Give the tool an api_key or an oauth_token."
        )
    return {"authorization": f"Bearer {token}"}
