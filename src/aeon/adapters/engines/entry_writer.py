"""Writes one run's entries down, many at once, behind the run's back; and stops the run when it is another's."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from aeon.adapters.engines.retry import RetryUntilAvailable
from aeon.platform.runs.machine.state import RunState
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.ports import RunRepository

T = TypeVar("T")

_BATCH_DELAY = 0.1
"""Seconds in which entries gather before they are written."""

_MAX_BATCH = 1000
"""Entries in one query."""


class EntryWriter:
    """The entries of one run on their way to the book. They stay in order, and none is given up."""

    def __init__(self, book: RunRepository, run: str, executor: str, patience: RetryUntilAvailable) -> None:
        """What is not written when `patience` is halted is not written at all."""
        self._book = book
        self._run = run
        self._executor = executor
        self._retry = patience
        self._pending: list[tuple[RunEntry, RunState]] = []
        self._writing = asyncio.Lock()
        self._flush_task: asyncio.Task[None] | None = None
        self._fenced: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, entry: RunEntry, state: RunState) -> None:
        """Have an entry written soon, with where the run stands after it."""
        self._pending.append((entry, state))
        if self._flush_task is None or self._flush_task.done():
            self._flush_task = asyncio.create_task(self._write_soon())

    async def flush(self) -> None:
        """Write what is there, however long the store is away. Raises ConflictError when the run is another's now."""
        async with self._writing:
            while batch := self._pending[:_MAX_BATCH]:
                entries = [entry for entry, _ in batch]
                await self._retry.call(self._book.append, self._run, self._executor, entries, batch[-1][1])
                del self._pending[: len(batch)]

    async def run_until_fenced(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work comes to, which is cancelled when the run turns out to be another's (ConflictError)."""
        task = asyncio.create_task(work)
        try:
            await asyncio.wait([task, self._fenced], return_when=asyncio.FIRST_COMPLETED)
            if self._fenced.done():
                self._fenced.result()
            return await task
        finally:
            task.cancel()
            if not self._fenced.cancel() and not self._fenced.cancelled():
                self._fenced.exception()  # it was told, or came too late to be
            if self._flush_task is not None:
                self._flush_task.cancel()

    async def _write_soon(self) -> None:
        await asyncio.sleep(_BATCH_DELAY)
        try:
            await self.flush()
        except Exception as error:  # noqa: BLE001  # told to the run that it belongs to
            self.fence(error)

    def fence(self, error: Exception) -> None:
        """Have the work that is guarded cancelled, which raises that."""
        if not self._fenced.done():
            self._fenced.set_exception(error)
