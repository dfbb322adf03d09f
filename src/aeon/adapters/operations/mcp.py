"""Calls of MCP servers' tools, over stdio, streamable HTTP and SSE."""

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
from aeon.platform.catalog.operations import McpCall
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
"""Characters of a tool's own error that are repeated."""


class McpExecutor:
    """Carries out `mcp_call`. Sessions are kept for each server and secret; `close` ends them and their processes.

    The output is the tool's structured content, which fits the output schema that `tools` gives for it; without any,
    `{"content": text}`: its parts of text by line, and each other part as its kind in brackets.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ, resolve: HostResolver = resolve_host) -> None:
        """Of `environ`, a server's process gets what it takes to run, and no more (platform 3)."""
        self._environ = environ
        self._resolve = resolve
        self._unauthorized: set[str] = set()
        """Those that said 401 since they last answered: the SDK says of it no more than that there was an error."""
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
        return OperationResult(_output(result))

    def list_tools(
        self,
        protocol: str,
        connection: JsonObject,
        secret: SecretValue | None = None,
        *,
        allow_private: bool = False,
        allow_insecure: bool = False,
    ) -> list[JsonObject]:
        """What a server offers: `name`, `description`, `inputSchema` and `outputSchema` (empty when it says none).

        Raises OperationError.
        """
        reach = McpEndpoint(protocol, connection, secret, allow_private, allow_insecure=allow_insecure)
        return self._call(reach, _LISTING_SECONDS, _list_tools)

    def close(self) -> None:
        """End all sessions. Twice is once."""
        if self._thread.is_running:
            self._thread.run(self._sessions.close())
        self._thread.close()

    def _new_client(self, reach: McpEndpoint) -> "Client":
        from mcp import Client
        from mcp.types import Implementation

        way = McpTransportContext(self._environ, self._resolve, partial(self._unauthorized.add, session_key(reach)))
        return Client(transport(reach, way), client_info=Implementation(name="aeon", version="1"), cache=None)

    def _call(self, reach: McpEndpoint, seconds: float, ask: Callable[["Client"], Awaitable[T]]) -> T:
        """Connecting counts towards the time given. What is given up is cancelled on the server, too."""
        try:
            from mcp import MCPError
        except ImportError as missing:
            raise MissingExtraError(
                "MCP servers need mcp.", next_step="Install aeon-orchestrator[platform]."
            ) from missing
        try:
            answer = self._thread.run(_call_with_timeout(seconds, partial(self._call_session, reach, ask)))
        except TimeoutError:
            raise self._refusal_of(reach) or OperationError(
                f"no answer within {seconds:g} s", is_transient=True
            ) from None
        except (MCPError, OSError, RuntimeError, ValueError, httpx2.HTTPError, ExceptionGroup) as error:
            first = next(_leaf_errors(cast(Exception, error)))
            if isinstance(first, OperationError):
                raise first from None
            if (refusal := self._refusal_of(reach)) is not None:
                raise refusal from None
            if isinstance(first, MCPError):
                raise _refusal(first.code, first.message) from None
            raise _unreachable(reach, first) from None
        self._unauthorized.discard(session_key(reach))
        return answer

    def _refusal_of(self, reach: McpEndpoint) -> OperationError | None:
        if session_key(reach) not in self._unauthorized:
            return None
        return OperationError(f"the server answered {_UNAUTHORIZED}", is_unauthorized=True)

    async def _call_session(self, reach: McpEndpoint, ask: Callable[["Client"], Awaitable[T]]) -> T:
        return await ask(await self._sessions.client(reach))


async def _call_with_timeout(seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    with anyio.fail_after(seconds):
        return await work()


async def _list_tools(client: "Client") -> list[JsonObject]:
    found: list[JsonObject] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += [
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
    return found


def _session_user(work: OperationRequest) -> str:
    """Whom Aeon itself is to serve; of all others a session may be shared."""
    return work.user if work.connection.get("command") == OWN_COMMAND else ""


def _output(result: "CallToolResult") -> Json:
    text = "\n".join(map(_part, result.content))
    if result.is_error:
        raise OperationError(f"the tool answered with an error: {text[:_MAX_SHOWN]}")
    return {"content": text} if result.structured_content is None else result.structured_content


def _part(content: Any) -> str:
    """A part of an answer as text; an embedded text counts as one."""
    inner = getattr(content, "resource", content)
    text = getattr(inner, "text", None)
    return text if isinstance(text, str) else f"[{content.type}]"


def _refusal(code: int, message: str) -> OperationError:
    """Whether a call whose connection was lost was carried out is not known, so nobody is told to repeat it."""
    if code == _CONNECTION_CLOSED:
        return OperationError("the connection was lost", next_step="See that the server runs, and what it did.")
    return OperationError(f"the server refused: {message[:_MAX_SHOWN]}")


def _unreachable(reach: McpEndpoint, error: BaseException) -> OperationError:
    """What went wrong, by its kind: texts of errors may hold what was sent."""
    if isinstance(error, FileNotFoundError) and reach.protocol == "stdio":
        return OperationError(
            f"the command {reach.connection['command']!r} was not found", next_step="Install it, or give its path."
        )
    if isinstance(error, httpx2.HTTPStatusError):
        is_transient = error.response.status_code >= _FIRST_SERVER_ERROR
        return OperationError(f"the server answered {error.response.status_code}", is_transient=is_transient)
    if (fault := tls_fault(error)) is not None:
        return OperationError(f"the server could not be asked: {fault.problem}", next_step=fault.advice)
    return OperationError(f"the server could not be asked: {type(error).__name__}", is_transient=True)


def _leaf_errors(error: BaseException) -> Iterator[BaseException]:
    """The first of them is what went wrong first."""
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaf_errors(inner)
    else:
        yield error
