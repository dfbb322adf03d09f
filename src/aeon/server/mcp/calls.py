"""What is answered: the list of tools, and calls of them, each on a thread of its own."""

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject, canonical
from aeon.base.masking import Mask
from aeon.server.mcp.offer import Offered
from aeon.server.mcp.threads import in_thread
from aeon.tools.invocation import ToolCaller
from aeon.validation.schema import argument_problems

if TYPE_CHECKING:
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult
    from mcp.types import Tool as McpTool

_MOST_PROBLEMS = 20


class Calls:
    """Lists and calls tools for one client, its calls side by side. What `mask` knows stands in no answer."""

    def __init__(self, tools: Mapping[str, Offered], mask: Mask, clock: Clock | None = None) -> None:
        self.is_left = False
        """Whether the client has gone: a call that is given up from then on is one that it did not take back."""
        self.all_answered = True
        """Whether every call was, but for those that the client took back."""
        self._tools = tools
        self._mask = mask
        self._clock = clock or SystemClock()

    async def listed(self, _context: object, _params: object) -> "ListToolsResult":
        """Every tool, on one page."""
        from mcp.types import ListToolsResult

        return ListToolsResult(tools=[_as_mcp(offered) for offered in self._tools.values()])

    async def called(self, _context: object, params: "CallToolRequestParams") -> "CallToolResult":
        """A tool's result, or what went wrong in words: both are for the one who asked, no fault of the protocol."""
        offered = self._tools.get(params.name)
        if offered is None:
            return _wrong(f"There is no tool {params.name!r}. There are {', '.join(self._tools)}.")
        caller = ToolCaller()
        try:
            return await in_thread(lambda: self._ended(caller, offered, params.arguments or {}))
        except BaseException:
            caller.give_up()
            self.all_answered &= not self.is_left
            raise

    def _ended(self, caller: ToolCaller, offered: Offered, given: JsonObject) -> "CallToolResult":
        try:
            return self._result(caller, offered, given)
        finally:
            caller.close()

    def _result(self, caller: ToolCaller, offered: Offered, given: JsonObject) -> "CallToolResult":
        problems = argument_problems(given, offered.registered.input)
        if problems:
            said = "; ".join(str(problem) for problem in problems[:_MOST_PROBLEMS])
            return _wrong(self._mask.text(f"The arguments do not fit: {said}."))
        try:
            return _right(self._mask.value(caller.call(offered.registered, given)))
        except AeonError as error:
            return _wrong(self._mask.text(f"{error.message} {error.advice}".rstrip()), self._reported(error))

    def _reported(self, error: AeonError) -> JsonObject:
        return self._mask.value(error.report(secrets.token_hex(16), self._clock.now()))


def _as_mcp(offered: Offered) -> "McpTool":
    from mcp.types import Tool, ToolAnnotations

    known = {f"{name}_hint": said for name, said in offered.hints._asdict().items() if said is not None}
    return Tool(**offered.exported, annotations=ToolAnnotations(**known))


def _right(result: JsonObject) -> "CallToolResult":
    from mcp.types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(text=canonical(result))], structured_content=result)


def _wrong(said: str, error: JsonObject | None = None) -> "CallToolResult":
    """What went wrong in words, and as data where it is an error of the tool's (platform 2)."""
    from mcp.types import CallToolResult, TextContent

    told = None if error is None else {"error": error}
    return CallToolResult(content=[TextContent(text=said)], structured_content=told, is_error=True)
