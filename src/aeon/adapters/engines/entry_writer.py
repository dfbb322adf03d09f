"""Writes the entries of one run in batches in the background; fences the run once lost."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from aeon.adapters.engines.retry import RetryUntilAvailable
from aeon.platform.runs.machine.state import RunState
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.ports import RunRepository

T = TypeVar("T")

_BATCH_DELAY = 0.1
"""Seconds in which entries are collected before they are written."""

_MAX_BATCH = 1000
"""Entries in one query."""


class EntryWriter:
    """Queues the entries of one run for writing. They stay in order, and none is dropped."""

    def __init__(self, repository: RunRepository, run: str, executor: str, retry: RetryUntilAvailable) -> None:
        """Entries that are not written when `retry` is halted are never written."""
        self._repository = repository
        self._run = run
        self._executor = executor
        self._retry = retry
        self._pending: list[tuple[RunEntry, RunState]] = []
        self._writing = asyncio.Lock()
        self._flush_task: asyncio.Task[None] | None = None
        self._fenced: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, entry: RunEntry, state: RunState) -> None:
        """Queue an entry and the state after it for writing."""
        self._pending.append((entry, state))
        if self._flush_task is None or self._flush_task.done():
            self._flush_task = asyncio.create_task(self._write_soon())

    async def flush(self) -> None:
        """Write all queued entries, retrying outages. Raises ConflictError if the run was lost."""
        async with self._writing:
            while batch := self._pending[:_MAX_BATCH]:
                entries = [entry for entry, _ in batch]
                await self._retry.call(self._repository.append, self._run, self._executor, entries, batch[-1][1])
                del self._pending[: len(batch)]

    async def run_until_fenced(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine; cancel it and raise ConflictError once the run is lost."""
        task = asyncio.create_task(work)
        try:
            await asyncio.wait([task, self._fenced], return_when=asyncio.FIRST_COMPLETED)
            if self._fenced.done():
                self._fenced.result()
            return await task
        finally:
            task.cancel()
            if not self._fenced.cancel() and not self._fenced.cancelled():
                self._fenced.exception()  # it was reported, or came too late
            if self._flush_task is not None:
                self._flush_task.cancel()

    async def _write_soon(self) -> None:
        await asyncio.sleep(_BATCH_DELAY)
        try:
            await self.flush()
        except Exception as error:  # noqa: BLE001  # reported to the run
            self.fence(error)

    def fence(self, error: Exception) -> None:
        """Cancel the coroutine that `run_until_fenced` runs; it raises the error."""
        if not self._fenced.done():
            self._fenced.set_exception(error)
