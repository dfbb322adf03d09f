"""Transports to MCP servers: a child process over its pipes, or HTTP with the secret as a bearer token."""

import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
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
from aeon.adapters.operations.mcp_stderr import StderrTail
from aeon.adapters.operations.tls import client_context, is_certificate, require_tls
from aeon.adapters.vault import MASTER_KEY_VARIABLE
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import SELF_COMMAND
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.vault import SecretValue

if TYPE_CHECKING:
    from mcp.client import Transport

OWN_COMMAND: Final = SELF_COMMAND
"""The command that means Aeon's own MCP server, run by this interpreter."""

_INHERITED = ("PATH", "HOME", "LANG", "XDG_STATE_HOME")
_CONNECT_SECONDS = 10.0
_READ_TIMEOUT = 310.0
"""Seconds; longer than any operation's timeout, so that the operation's timeout applies."""


class McpEndpoint(NamedTuple):
    """A server, the secret for it, and where it may be (see `HttpSender`). `user`: only for Aeon's own server."""

    protocol: str
    connection: JsonObject
    secret: SecretValue | None
    allow_private: bool
    user: str = ""
    allow_insecure: bool = False


class McpTransportContext(NamedTuple):
    """What a transport needs: the environment of processes, their stderr, the resolver of names, a callback for 401."""

    environ: Mapping[str, str]
    resolve: HostResolver
    on_unauthorized: Callable[[], None]
    stderr: StderrTail


def transport(server: McpEndpoint, context: McpTransportContext) -> "Transport":
    """Return the transport for a client. Raises OperationError for an invalid connection."""
    if server.protocol == "stdio":
        return _process(server, context)
    endpoint, headers = _endpoint(server.connection), _bearer(server.secret)
    require_tls(endpoint.scheme, server.secret)
    check_headers(headers)
    return cast("Transport", (_events if server.protocol == "sse" else _streamable)(endpoint, headers, server, context))


@asynccontextmanager
async def _process_streams(parameters: Any, stderr: StderrTail) -> AsyncGenerator[Any]:
    """Connect to a process, and keep the end of its stderr, which would mix with the user's output."""
    from mcp.client.stdio import stdio_client

    async with stderr.captured(parameters.env) as file, stdio_client(parameters, file) as streams:
        yield streams


@asynccontextmanager
async def _streamable(
    endpoint: httpx2.URL, headers: dict[str, str], server: McpEndpoint, context: McpTransportContext
) -> AsyncGenerator[Any]:
    from mcp.client.streamable_http import streamable_http_client

    async with (
        await _http_client(endpoint, headers, server, context) as client,
        streamable_http_client(str(endpoint), http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def _events(
    endpoint: httpx2.URL, headers: dict[str, str], server: McpEndpoint, context: McpTransportContext
) -> AsyncGenerator[Any]:
    from mcp.client.sse import sse_client

    client = await _http_client(endpoint, headers, server, context)

    def make_client(**_options: Any) -> httpx2.AsyncClient:
        return client

    async with sse_client(str(endpoint), httpx_client_factory=cast(Any, make_client)) as streams:
        yield streams


async def _http_client(
    endpoint: httpx2.URL, headers: dict[str, str], server: McpEndpoint, context: McpTransportContext
) -> httpx2.AsyncClient:
    """Return a client for the one address that was checked, so that no redirect or new look-up leads elsewhere."""
    address = await anyio.to_thread.run_sync(partial(_address, endpoint, server, context), abandon_on_cancel=True)
    verify = client_context(endpoint.scheme, server.connection, server.secret)
    pinned = PinnedTransport(endpoint.host, address, verify, context.on_unauthorized)
    limits = httpx2.Timeout(_CONNECT_SECONDS, read=_READ_TIMEOUT)
    return httpx2.AsyncClient(headers=headers, timeout=limits, trust_env=False, transport=pinned)


def _address(endpoint: httpx2.URL, server: McpEndpoint, context: McpTransportContext) -> str:
    port = port_of(endpoint)
    addresses = allowed_addresses(endpoint.host, port, context.resolve, allow_private=server.allow_private)
    if server.secret is not None and not server.allow_insecure:
        refuse_readable_key(endpoint.scheme, endpoint.host, addresses)
    return first_listening_address(addresses, port)


def _process(server: McpEndpoint, context: McpTransportContext) -> "Transport":
    """Return a transport to a process that gets only the environment it needs to run (platform 3).

    The SDK adds LOGNAME, SHELL and TERM by itself.
    """
    from mcp.client.stdio import StdioServerParameters

    if server.secret is not None:
        raise OperationError(
            "a server over stdio cannot use a secret", next_step="Use http, or remove the secret from the tool."
        )
    command, arguments, env = (_own_command if server.connection["command"] == OWN_COMMAND else _program_command)(
        server, context.environ
    )
    parameters = StdioServerParameters(command=command, args=arguments, env=env)
    return cast("Transport", _process_streams(parameters, context.stderr))


class _ServerCommand(NamedTuple):
    """The command line and environment of a server process."""

    command: str
    arguments: list[str]
    env: dict[str, str]


def _own_command(server: McpEndpoint, environ: Mapping[str, str]) -> _ServerCommand:
    """Return the command of Aeon's own server: it gets this environment without the key of the vault."""
    if server.connection.keys() != {"command"}:
        raise OperationError(f"the command {OWN_COMMAND} does not accept arguments or an environment")
    env = {name: value for name, value in environ.items() if name != MASTER_KEY_VARIABLE}
    user_option = [f"--user={server.user}"] if server.user else []
    return _ServerCommand(sys.executable, ["-m", "aeon", "serve", "mcp", *user_option], env)


def _program_command(server: McpEndpoint, environ: Mapping[str, str]) -> _ServerCommand:
    arguments, own = server.connection.get("args", []), server.connection.get("env", {})
    if (
        not _are_strings(arguments)
        or not isinstance(own, dict)
        or not _are_strings(list(cast(JsonObject, own).values()))
    ):
        raise OperationError("the connection's `args` must be a list of strings, and its `env` an object of strings")
    inherited = {name: environ[name] for name in _INHERITED if name in environ}
    return _ServerCommand(str(server.connection["command"]), arguments, {**inherited, **cast("dict[str, str]", own)})


def _are_strings(value: Json) -> bool:
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
            "a secret of this type cannot be a bearer token", next_step="Give the tool an api_key or an oauth_token."
        )
    return {"authorization": f"Bearer {token}"}
