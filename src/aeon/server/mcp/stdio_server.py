"""Serves MCP on this process's stdin and stdout, from the first line to the last."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, BinaryIO, Self, cast

import aeon
from aeon.base.errors import MissingExtraError
from aeon.server.mcp.call_handler import McpCallHandler, run_in_thread
from aeon.server.mcp.skill_prompts import SkillPrompts


class StdinLines:
    """The input, line by line. Bytes that are not UTF-8 become replacement characters."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await run_in_thread(self._file.readline)
        if not line:
            raise StopAsyncIteration
        return line.decode(errors="replace")


class StdoutWriter:
    """The output. It has one writer, so each text is written completely before the next."""

    def __init__(self, file: BinaryIO) -> None:
        self.is_closed = asyncio.Event()
        """Set once the reader has closed the pipe: later writes are lost."""
        self._file = file

    async def write(self, text: str) -> None:
        await self._run(lambda: self._file.write(text.encode()))

    async def flush(self) -> None:
        await self._run(self._file.flush)

    async def _run(self, work: Callable[[], object]) -> None:
        try:
            await run_in_thread(work)
        except OSError:
            self.is_closed.set()


@contextmanager
def claim_stdio() -> Generator[tuple[StdinLines, StdoutWriter]]:
    """Take over stdin and stdout. Meanwhile, also for child processes, stdin is empty and stdout is stderr.

    The SDK's own way cannot be interrupted before another line arrives.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    try:
        with redirect_stdout(sys.stderr):  # what is printed appears at once
            # Not closed: an abandoned thread may still read from it.
            yield (
                StdinLines(os.fdopen(wire_in, "rb", closefd=False)),
                StdoutWriter(os.fdopen(wire_out, "wb", closefd=False)),
            )
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()  # what was written to it meanwhile must not come later, to the client
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)


if TYPE_CHECKING:
    from anyio import CancelScope
    from mcp.server.lowlevel import Server

_INSTRUCTIONS = "`answer` takes a request in words and does what it takes; the others are single skills and tools."
_TERMINATION_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(calls: McpCallHandler, prompts: SkillPrompts) -> bool:
    """Serve on stdin and stdout until stdin is closed; True if every call was answered by then.

    A termination signal stops the server at once, and is then raised again. Raises MissingExtraError.
    """
    if find_spec("mcp") is None:
        raise MissingExtraError("Serving MCP needs mcp.", next_step="Install aeon-orchestrator[platform].")
    import anyio

    before = {number: signal.getsignal(number) for number in _TERMINATION_SIGNALS}
    serving = _StdioServer(
        calls, prompts, [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    )
    try:
        anyio.run(serving.run)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if serving.signal is not None:
        signal.raise_signal(serving.signal)
    return not serving.is_output_lost and calls.are_all_answered


class _StdioServer:
    def __init__(self, calls: McpCallHandler, prompts: SkillPrompts, signals: Sequence[signal.Signals]) -> None:
        self.signal: signal.Signals | None = None
        """The signal that ended the server, if one did."""
        self._signals = signals
        self.is_output_lost = False
        """Whether the reader of the responses has closed the pipe."""
        self._calls = calls
        self._prompts = prompts

    async def run(self) -> None:
        from anyio import create_task_group
        from mcp.server.stdio import stdio_server

        server = build_server(self._calls, self._prompts)
        with claim_stdio() as (lines, out):
            async with create_task_group() as group:
                group.start_soon(self._wait_for_signal, group.cancel_scope)
                group.start_soon(self._wait_for_lost_output, out.is_closed, group.cancel_scope)
                async with stdio_server(cast(Any, self._read_lines(lines)), cast(Any, out)) as (incoming, outgoing):
                    await server.run(incoming, outgoing, server.create_initialization_options())
                group.cancel_scope.cancel()

    async def _read_lines(self, lines: StdinLines) -> AsyncGenerator[str]:
        async for line in lines:
            yield line
        self._calls.is_client_gone = True

    async def _wait_for_signal(self, scope: "CancelScope") -> None:
        from anyio import open_signal_receiver

        with open_signal_receiver(*self._signals) as received:
            async for number in received:
                self.signal = number
                scope.cancel()

    async def _wait_for_lost_output(self, is_closed: Any, scope: "CancelScope") -> None:
        await is_closed.wait()
        self.is_output_lost = True
        scope.cancel()


def build_server(calls: McpCallHandler, prompts: SkillPrompts | None) -> "Server[Any]":
    """The server of one client's tools and prompts, for any transport."""
    from mcp.server.lowlevel import Server

    return Server(
        "aeon",
        version=aeon.__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        on_list_prompts=None if prompts is None else prompts.list_prompts,
        on_get_prompt=None if prompts is None else prompts.get_prompt,
    )
