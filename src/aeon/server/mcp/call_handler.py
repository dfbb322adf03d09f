"""Handles tools/list and tools/call; each call runs on its own thread."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from aeon.base.cancellation import CancelScope
from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject, encodable_json, encodable_text, readable_json
from aeon.base.masking import Mask
from aeon.base.next_steps import words_of
from aeon.server.mcp.next_steps import TOOLS
from aeon.server.mcp.offered_tools import OfferedTool
from aeon.tools.invocation import ToolInvoker
from aeon.validation.schema import argument_problems

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T]) -> T:
    """Return the result of `work`, or raise its exception. If cancelled, abandons the (daemon) thread."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def deliver_if_waiting(deliver: Callable[[], None]) -> None:
        if not ended.done():
            deliver()

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001  # raised again by the waiting task
            failure = error
            deliver = lambda: ended.set_exception(failure)  # noqa: E731  # one of two
        else:
            deliver = lambda: ended.set_result(result)  # noqa: E731  # one of two
        try:
            loop.call_soon_threadsafe(deliver_if_waiting, deliver)
        except RuntimeError:
            return  # the loop is closed: no task waits any more

    Thread(target=run, name="aeon-mcp-call", daemon=True).start()
    return await ended


if TYPE_CHECKING:
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult
    from mcp.types import Tool as McpTool

_MAX_PROBLEMS = 20


class McpCallHandler:
    """Lists and calls tools for one client, with concurrent calls. Responses are masked with `mask`."""

    def __init__(
        self,
        tools: Mapping[str, OfferedTool],
        mask: Mask,
        clock: Clock | None = None,
        cancel_scope: CancelScope | None = None,
    ) -> None:
        """`cancel_scope` cancels the calls; without one, only the SDK does, by cancelling the task of a call."""
        self.is_client_gone = False
        """True once the client has disconnected: a call cancelled after that was not cancelled by the client."""
        self.are_all_answered = True
        """Whether every call was answered, except those that the client cancelled."""
        self._tools = tools
        self._mask = mask
        self._clock = clock or SystemClock()
        self._cancel_scope = cancel_scope or CancelScope()

    async def list_tools(self, _context: object, _params: object) -> "ListToolsResult":
        """Return all tools, on one page."""
        from mcp.types import ListToolsResult

        return ListToolsResult(tools=[_as_mcp(offered) for offered in self._tools.values()])

    async def call_tool(self, _context: object, params: "CallToolRequestParams") -> "CallToolResult":
        """Return a tool's result, or its error as a result: errors of tools are not errors of the protocol."""
        offered = self._tools.get(params.name)
        if offered is None:
            return _error_result(f"There is no tool {params.name!r}. Available are {', '.join(self._tools)}.")
        caller = ToolInvoker()
        try:
            with self._cancel_scope.on_cancel(caller.cancel):
                return await run_in_thread(lambda: self._call_and_close(caller, offered, params.arguments or {}))
        except BaseException:
            caller.cancel()
            self.are_all_answered &= not self.is_client_gone
            raise

    def _call_and_close(self, caller: ToolInvoker, offered: OfferedTool, arguments: JsonObject) -> "CallToolResult":
        try:
            return self._result(caller, offered, arguments)
        finally:
            caller.close()

    def _result(self, caller: ToolInvoker, offered: OfferedTool, arguments: JsonObject) -> "CallToolResult":
        problems = argument_problems(arguments, offered.registered.input)
        if problems:
            listed = "; ".join(str(problem) for problem in problems[:_MAX_PROBLEMS])
            return _error_result(self._mask.text(f"The arguments do not match the input schema: {listed}."))
        try:
            return _success_result(self._mask.value(caller.invoke(offered.registered, arguments)))
        except AeonError as error:
            text = self._mask.text(f"{error.message} {words_of(error.next, TOOLS)}".rstrip())
            return _error_result(text, self._error_report(error))

    def _error_report(self, error: AeonError) -> JsonObject:
        return self._mask.value(error.report(secrets.token_hex(16), self._clock.now(), TOOLS))


def _as_mcp(offered: OfferedTool) -> "McpTool":
    from mcp.types import Tool, ToolAnnotations

    known = {f"{name}_hint": hint for name, hint in offered.hints._asdict().items() if hint is not None}
    return Tool(**encodable_json(offered.exported), annotations=ToolAnnotations(**known))


def _success_result(result: JsonObject) -> "CallToolResult":
    from mcp.types import CallToolResult, TextContent

    sent = encodable_json(result)
    return CallToolResult(content=[TextContent(text=readable_json(sent))], structured_content=sent)


def _error_result(text: str, report: JsonObject | None = None) -> "CallToolResult":
    """Returns an error as text, and also as data if it is an error of the tool (platform 2)."""
    from mcp.types import CallToolResult, TextContent

    data = None if report is None else {"error": encodable_json(report)}
    return CallToolResult(content=[TextContent(text=encodable_text(text))], structured_content=data, is_error=True)
