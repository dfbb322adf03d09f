"""The process's stdin and stdout as the protocol's alone."""

import asyncio
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import BinaryIO, Self

from aeon.server.mcp.threads import run_in_thread


class StdinLines:
    """What comes in, line by line. Bytes that are no UTF-8 become replacement characters, which no JSON hides."""

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
    """What goes out. Each text is written whole before the next: one writer has it."""

    def __init__(self, file: BinaryIO) -> None:
        self.is_closed = asyncio.Event()
        """Set when nobody reads it any more: what is written from then on is lost."""
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
    """Both streams. Meanwhile, and for whatever a process that is started inherits, stdin is empty and stdout stderr.

    Not the SDK's own way, which waits for a line more before it can be interrupted.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    try:
        # Not closed: a thread that was left behind may still read from it.
        yield (
            StdinLines(os.fdopen(wire_in, "rb", closefd=False)),
            StdoutWriter(os.fdopen(wire_out, "wb", closefd=False)),
        )
    finally:
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)
