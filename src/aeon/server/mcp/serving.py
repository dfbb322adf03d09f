"""The MCP server on this process's streams, from the first line to the last."""

import signal
from collections.abc import AsyncGenerator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

import aeon
from aeon.base.errors import MissingExtraError
from aeon.server.mcp.calls import Calls
from aeon.server.mcp.wire import Lines, claimed

if TYPE_CHECKING:
    from anyio import CancelScope
    from mcp.server.lowlevel import Server

_INSTRUCTIONS = "`answer` takes a request in words and does what it takes; the others are single skills and tools."
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(calls: Calls) -> bool:
    """Serve on stdin and stdout until stdin is closed; whether every call was answered by then.

    A signal to end ends it at once, and then does what it did before. Raises MissingExtraError.
    """
    if find_spec("mcp") is None:
        raise MissingExtraError("Serving MCP needs mcp.", next_step="Install aeon-orchestrator[platform].")
    import anyio

    before = {number: signal.getsignal(number) for number in _ENDING}
    serving = _Serving(calls, [number for number, handler in before.items() if handler is not signal.SIG_IGN])
    try:
        anyio.run(serving.until_closed)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if serving.signal is not None:
        signal.raise_signal(serving.signal)
    return not serving.is_cut_off and calls.all_answered


class _Serving:
    def __init__(self, calls: Calls, heeded: Sequence[signal.Signals]) -> None:
        self.signal: signal.Signals | None = None
        """Which of those that it heeds told it to end."""
        self._heeded = heeded
        self.is_cut_off = False
        """Whether nobody reads the answers any more."""
        self._calls = calls

    async def until_closed(self) -> None:
        from anyio import create_task_group
        from mcp.server.stdio import stdio_server

        server = _server(self._calls)
        with claimed() as (lines, out):
            async with create_task_group() as group:
                group.start_soon(self._until_told, group.cancel_scope)
                group.start_soon(self._until_cut_off, out.is_cut_off, group.cancel_scope)
                async with stdio_server(cast(Any, self._until_left(lines)), cast(Any, out)) as (incoming, outgoing):
                    await server.run(incoming, outgoing, server.create_initialization_options())
                group.cancel_scope.cancel()

    async def _until_left(self, lines: Lines) -> AsyncGenerator[str]:
        async for line in lines:
            yield line
        self._calls.is_left = True

    async def _until_told(self, scope: "CancelScope") -> None:
        from anyio import open_signal_receiver

        with open_signal_receiver(*self._heeded) as told:
            async for number in told:
                self.signal = number
                scope.cancel()

    async def _until_cut_off(self, is_cut_off: Any, scope: "CancelScope") -> None:
        await is_cut_off.wait()
        self.is_cut_off = True
        scope.cancel()


def _server(calls: Calls) -> "Server[Any]":
    from mcp.server.lowlevel import Server

    return Server(
        "aeon",
        version=aeon.__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=calls.listed,
        on_call_tool=calls.called,
    )
