"""Calls tools of MCP servers, over stdio, streamable HTTP and SSE."""

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio
import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, resolve_host
from aeon.adapters.operations.mcp_sessions import McpSessionPool, session_key
from aeon.adapters.operations.mcp_transports import OWN_COMMAND, McpEndpoint, McpTransportContext, transport
from aeon.adapters.operations.placeholders import fill
from aeon.adapters.operations.tls import tls_fault
from aeon.base.errors import MissingExtraError
from aeon.base.event_loop import EventLoopThread
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import McpCall, TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult
from aeon.platform.vault import SecretValue

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

T = TypeVar("T")

_CONNECTION_CLOSED = -32000
_UNAUTHORIZED, _FIRST_SERVER_ERROR = 401, 500
_MAX_PAGES = 50
_LISTING_SECONDS = 60.0
_MAX_SHOWN = 1000
"""The most characters of a tool's error that are repeated."""


class McpExecutor:
    """Executes `mcp_call`. Keeps a session for each server and secret; `close` ends them and their processes.

    The output is the tool's structured content, which matches the tool's output schema. Without structured content, it
    is `{"content": text}`: text parts by line, and each other part as its type in brackets.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ, resolve: HostResolver = resolve_host) -> None:
        """A server's process gets only the variables of `environ` that it needs to run (platform 3)."""
        self._environ = environ
        self._resolve = resolve
        self._unauthorized: set[str] = set()
        """Session keys of servers whose last response was 401; the SDK reports only that there was an error."""
        self._thread = EventLoopThread("aeon-mcp")
        self._sessions = McpSessionPool(self._new_client)

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(McpCall, work.operation)
        arguments = work.arguments if operation.arguments is None else fill(dict(operation.arguments), work.arguments)
        result = self._call(
            McpEndpoint(
                work.protocol,
                work.connection,
                work.secret,
                operation.allow_private,
                _session_user(work),
                operation.allow_insecure,
            ),
            operation.timeout,
            lambda client: client.call_tool(operation.tool, cast(JsonObject, arguments)),
        )
        usage = _own_usage(result) if work.connection.get("command") == OWN_COMMAND else None
        return OperationResult(_output(result, usage), usage)

    def list_tools(
        self,
        protocol: str,
        connection: JsonObject,
        secret: SecretValue | None = None,
        *,
        allow_private: bool = False,
        allow_insecure: bool = False,
    ) -> list[JsonObject]:
        """List a server's tools: `name`, `description`, `inputSchema` and `outputSchema` (empty if not declared).

        Raises OperationError.
        """
        endpoint = McpEndpoint(protocol, connection, secret, allow_private, allow_insecure=allow_insecure)
        return self._call(endpoint, _LISTING_SECONDS, _list_tools)

    def close(self) -> None:
        """End all sessions. Calling it again does nothing."""
        if self._thread.is_running:
            self._thread.run(self._sessions.close())
        self._thread.close()

    def _new_client(self, endpoint: McpEndpoint) -> "Client":
        from mcp import Client
        from mcp.types import Implementation

        context = McpTransportContext(
            self._environ, self._resolve, partial(self._unauthorized.add, session_key(endpoint))
        )
        return Client(transport(endpoint, context), client_info=Implementation(name="aeon", version="1"), cache=None)

    def _call(self, endpoint: McpEndpoint, seconds: float, ask: Callable[["Client"], Awaitable[T]]) -> T:
        """Call a server within `seconds`, connecting included. A call that times out is cancelled on the server too."""
        try:
            from mcp import MCPError
        except ImportError as missing:
            raise MissingExtraError(
                "MCP servers need mcp.", next_step="Install aeon-orchestrator[platform]."
            ) from missing
        try:
            answer = self._thread.run(_call_with_timeout(seconds, partial(self._call_session, endpoint, ask)))
        except TimeoutError:
            raise self._refusal_of(endpoint) or OperationError(
                f"no answer within {seconds:g} s", is_transient=True
            ) from None
        except (MCPError, OSError, RuntimeError, ValueError, httpx2.HTTPError, ExceptionGroup) as error:
            first = next(_leaf_errors(cast(Exception, error)))
            if isinstance(first, OperationError):
                raise first from None
            if (refusal := self._refusal_of(endpoint)) is not None:
                raise refusal from None
            if isinstance(first, MCPError):
                raise _refusal(first.code, first.message) from None
            raise _unreachable(endpoint, first) from None
        self._unauthorized.discard(session_key(endpoint))
        return answer

    def _refusal_of(self, endpoint: McpEndpoint) -> OperationError | None:
        if session_key(endpoint) not in self._unauthorized:
            return None
        return OperationError(f"the server answered {_UNAUTHORIZED}", is_unauthorized=True)

    async def _call_session(self, endpoint: McpEndpoint, ask: Callable[["Client"], Awaitable[T]]) -> T:
        return await ask(await self._sessions.client(endpoint))


async def _call_with_timeout(seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    with anyio.fail_after(seconds):
        return await work()


async def _list_tools(client: "Client") -> list[JsonObject]:
    tools: list[JsonObject] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += [
            {
                "name": tool.name,
                "description": tool.description or "",
                "inputSchema": tool.input_schema,
                "outputSchema": tool.output_schema or {},
            }
            for tool in page.tools
        ]
        cursor = page.next_cursor
        if not cursor:
            break
    return tools


def _session_user(work: OperationRequest) -> str:
    """Return the user whom Aeon's own server serves; "" for other servers, whose sessions may be shared."""
    return work.user if work.connection.get("command") == OWN_COMMAND else ""


def _own_usage(result: "CallToolResult") -> TokenUsage | None:
    """Return the tokens that a call of Aeon's own server has used; None if it called no model."""
    content: JsonObject = result.structured_content or {}
    usage: JsonObject = (content.get("error") or content).get("usage") or {}
    if not usage.get("calls"):
        return None
    model = usage["models"][-1]["model"] or None
    return TokenUsage(usage["prompt_tokens"], usage["completion_tokens"], model, usage["calls"])


def _output(result: "CallToolResult", usage: TokenUsage | None) -> Json:
    """Return the published result. Raises OperationError with the usage for an error of the tool."""
    text = "\n".join(map(_part, result.content))
    if result.is_error:
        raise OperationError(f"the tool answered with an error: {text[:_MAX_SHOWN]}", usage=usage)
    return {"content": text} if result.structured_content is None else result.structured_content


def _part(content: Any) -> str:
    """Return a part of a result as text; an embedded text resource counts as text."""
    inner = getattr(content, "resource", content)
    text = getattr(inner, "text", None)
    return text if isinstance(text, str) else f"[{content.type}]"


def _refusal(code: int, message: str) -> OperationError:
    """Return an MCP error as an OperationError. A lost connection is not retried: the call may have run."""
    if code == _CONNECTION_CLOSED:
        return OperationError("the connection was lost", next_step="Check that the server is running, and what it did.")
    return OperationError(f"the server refused: {message[:_MAX_SHOWN]}")


def _unreachable(endpoint: McpEndpoint, error: BaseException) -> OperationError:
    """Return a connection error by its type: the text of an error may contain what was sent."""
    if isinstance(error, FileNotFoundError) and endpoint.protocol == "stdio":
        return OperationError(
            f"the command {endpoint.connection['command']!r} was not found", next_step="Install it, or give its path."
        )
    if isinstance(error, httpx2.HTTPStatusError):
        is_transient = error.response.status_code >= _FIRST_SERVER_ERROR
        return OperationError(f"the server answered {error.response.status_code}", is_transient=is_transient)
    if (fault := tls_fault(error)) is not None:
        return OperationError(f"the server could not be reached: {fault.problem}", next_step=fault.advice)
    return OperationError(f"the server could not be reached: {type(error).__name__}", is_transient=True)


def _leaf_errors(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors inside exception groups; the first is what failed first."""
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaf_errors(inner)
    else:
        yield error
