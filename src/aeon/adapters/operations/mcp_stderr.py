"""What a server process wrote to stderr last: it says why the server ended."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from threading import Lock
from typing import Final, TextIO

import anyio

from aeon.base.masking import Mask, secrets_of_environment

_KEPT_BYTES: Final = 8192
_SHOWN_CHARACTERS: Final = 600
_CHUNK: Final = 65_536


class StderrTail:
    """Reads a process's stderr and keeps its end. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._mask = Mask()
        self._kept = b""
        self._reading: int | None = None

    @asynccontextmanager
    async def captured(self, environ: Mapping[str, str]) -> AsyncGenerator[TextIO]:
        """Yield the stderr of a process with this environment, whose secrets are masked. It is read meanwhile."""
        self._mask = Mask(secrets_of_environment(environ))
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        try:
            with os.fdopen(writing, "w") as file:
                async with anyio.create_task_group() as group:
                    group.start_soon(self._read_on, self._reading)
                    yield file
                    group.cancel_scope.cancel()
        finally:
            self._read_written()
            with self._lock:
                os.close(self._reading)
                self._reading = None

    def text(self) -> str:
        """Return the last lines on one line, without secrets and control characters; "" if there are none."""
        self._read_written()
        shown = self._mask.tail(self._kept.decode(errors="replace"))
        lines = [line for line in map(_printable, shown.splitlines()) if line]
        text = " / ".join(lines)
        return text if len(text) <= _SHOWN_CHARACTERS else f"... {text[-_SHOWN_CHARACTERS:]}"

    async def _read_on(self, reading: int) -> None:
        while True:
            await anyio.wait_readable(reading)
            self._read_written()

    def _read_written(self) -> None:
        """Read what has been written by now."""
        with self._lock, suppress(BlockingIOError):
            while self._reading is not None and (chunk := os.read(self._reading, _CHUNK)):
                self._kept = (self._kept + chunk)[-_KEPT_BYTES:]


def _printable(line: str) -> str:
    return "".join(each if each.isprintable() else " " for each in line).strip()
