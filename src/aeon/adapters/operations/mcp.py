"""Calls tools of MCP servers, over stdio, streamable HTTP and SSE."""

import logging
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

import anyio
import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, resolve_host
from aeon.adapters.operations.mcp_results import MAX_SHOWN, operation_result
from aeon.adapters.operations.mcp_sessions import McpSessionPool, all_tools, session_key
from aeon.adapters.operations.mcp_stderr import StderrTail
from aeon.adapters.operations.mcp_transports import OWN_COMMAND, McpEndpoint, McpTransportContext, transport
from aeon.adapters.operations.placeholders import fill
from aeon.adapters.operations.timeouts import timeout_error
from aeon.adapters.operations.tls import tls_fault
from aeon.base.cancellation import on_cancel
from aeon.base.errors import MissingExtraError
from aeon.base.event_loop import EventLoopThread
from aeon.base.json import JsonObject, encodable_json
from aeon.platform.catalog.operations import McpCall, TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult
from aeon.platform.vault import SecretValue

if TYPE_CHECKING:
    from mcp import Client, MCPError
    from mcp.types import CallToolResult

T = TypeVar("T")

_LOGS = ("mcp", "client")
"""The loggers of the SDK; its session logs as `client`."""

_CONNECTION_CLOSED = -32000
_UNAUTHORIZED, _FIRST_SERVER_ERROR = 401, 500
_LISTING_SECONDS = 60.0
_CHECK_SERVER = "Check that the server is running, and what it did."


class McpExecutor:
    """Executes `mcp_call`. Keeps a session for each server and secret; `close` ends them and their processes.

    The output is the tool's structured content, which matches the tool's output schema, or its other content (see
    `operation_result`).
    """

    def __init__(self, environ: Mapping[str, str] = os.environ, resolve: HostResolver = resolve_host) -> None:
        """A server's process gets only the variables of `environ` that it needs to run (platform 3)."""
        self._environ = environ
        self._resolve = resolve
        self._unauthorized: set[str] = set()
        """Session keys of servers whose last response was 401; the SDK reports only that there was an error."""
        self._stderr: dict[str, StderrTail] = {}
        """By session key."""
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
            lambda client: _call_tool(client, operation.tool, encodable_json(arguments)),
        )
        usage = _own_usage(result) if work.connection.get("command") == OWN_COMMAND else None
        return operation_result(result, usage)

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

        _keep_logs_off_stderr()
        key = session_key(endpoint)
        stderr = self._stderr[key] = StderrTail()
        context = McpTransportContext(self._environ, self._resolve, partial(self._unauthorized.add, key), stderr)
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
            answer = self._result(_call_with_timeout(seconds, partial(self._call_session, endpoint, ask)))
        except TimeoutError:
            raise self._refusal_of(endpoint) or timeout_error(seconds) from None
        except (MCPError, OSError, RuntimeError, ValueError, httpx2.HTTPError, ExceptionGroup) as error:
            first = next(_leaf_errors(cast(Exception, error)))
            if isinstance(first, OperationError):
                raise first from None
            if (refusal := self._refusal_of(endpoint)) is not None:
                raise refusal from None
            if isinstance(first, MCPError):
                raise self._refusal(endpoint, first) from None
            raise _unreachable(endpoint, first) from None
        self._unauthorized.discard(session_key(endpoint))
        return answer

    def _result(self, work: Coroutine[object, object, T]) -> T:
        """Return the result of `work`, which is cancelled, also on the server, if its caller stops waiting."""
        ending = self._thread.submit(work)
        with on_cancel(lambda: _cancel(ending)):
            try:
                return ending.result()
            except CancelledError:
                raise OperationError("the call was cancelled", next_step="The call may have had effects.") from None
            except BaseException:
                ending.cancel()
                raise

    def _refusal(self, endpoint: McpEndpoint, error: "MCPError") -> OperationError:
        """Return an MCP error as an OperationError. A lost connection is not retried: the call may have run."""
        if error.code != _CONNECTION_CLOSED:
            return OperationError(f"the server refused: {error.message[:MAX_SHOWN]}")
        tail = self._stderr.get(session_key(endpoint))
        words = tail.text() if tail is not None else ""
        if words:
            return OperationError(f"the connection was lost; the server wrote: {words}", next_step=_CHECK_SERVER)
        return OperationError("the connection was lost", next_step=_CHECK_SERVER)

    def _refusal_of(self, endpoint: McpEndpoint) -> OperationError | None:
        if session_key(endpoint) not in self._unauthorized:
            return None
        return OperationError(f"the server answered {_UNAUTHORIZED}", is_unauthorized=True)

    async def _call_session(self, endpoint: McpEndpoint, ask: Callable[["Client"], Awaitable[T]]) -> T:
        return await ask(await self._sessions.client(endpoint))


def _keep_logs_off_stderr() -> None:
    """In a program without logging, the SDK's warnings and tracebacks do not reach the terminal."""
    for log in map(logging.getLogger, _LOGS):
        if not log.handlers:
            log.addHandler(logging.NullHandler())


def _cancel(ending: Future[T]) -> None:
    ending.cancel()


async def _call_with_timeout(seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    with anyio.fail_after(seconds):
        return await work()


async def _call_tool(client: "Client", tool: str, arguments: JsonObject) -> "CallToolResult":
    """Return a tool's result. Raises OperationError, not transient, for a result that breaks the tool's schema."""
    try:
        return await client.call_tool(tool, arguments)
    except (RuntimeError, ValueError) as error:  # of the SDK's checks of the result: the call has run
        reason = str(error).partition("\n")[0][:MAX_SHOWN]
        raise OperationError(
            f"the server answered, but its result does not fit what it declares: {reason}",
            next_step="Check what the call did before you repeat it, and report the fault to the server's maker.",
        ) from None


async def _list_tools(client: "Client") -> list[JsonObject]:
    return [
        {
            "name": tool.name,
            "description": tool.description or "",
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema or {},
        }
        async for tool in all_tools(client)
    ]


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
    is_transient = isinstance(error, (OSError, httpx2.HTTPError))
    return OperationError(f"the server could not be reached: {type(error).__name__}", is_transient=is_transient)


def _leaf_errors(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors inside exception groups; the first is what failed first."""
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaf_errors(inner)
    else:
        yield error
