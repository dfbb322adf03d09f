"""Writes one run's entries down, many at once, behind the run's back; and stops the run when it is another's."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from aeon.adapters.engine.patience import Patience
from aeon.platform.processes.running.state import State
from aeon.platform.processes.runs.engine import Book
from aeon.platform.processes.runs.model import Entry

T = TypeVar("T")

_GATHERS = 0.1
"""Seconds in which entries gather before they are written."""

_MOST_AT_ONCE = 1000
"""Entries in one query."""


class Writer:
    """The entries of one run on their way to the book. They stay in order, and none is given up."""

    def __init__(self, book: Book, run: str, executor: str, patience: Patience) -> None:
        """What is not written when `patience` is halted is not written at all."""
        self._book = book
        self._run = run
        self._executor = executor
        self._patience = patience
        self._waiting: list[tuple[Entry, State]] = []
        self._writing = asyncio.Lock()
        self._later: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, entry: Entry, state: State) -> None:
        """Have an entry written soon, with where the run stands after it."""
        self._waiting.append((entry, state))
        if self._later is None or self._later.done():
            self._later = asyncio.create_task(self._write_soon())

    async def settle(self) -> None:
        """Write what is there, however long the store is away. Raises ConflictError when the run is another's now."""
        async with self._writing:
            while batch := self._waiting[:_MOST_AT_ONCE]:
                entries = [entry for entry, _ in batch]
                await self._patience.ask(self._book.keep, self._run, self._executor, entries, batch[-1][1])
                del self._waiting[: len(batch)]

    async def guarding(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work comes to, which is cancelled when the run turns out to be another's (ConflictError)."""
        task = asyncio.create_task(work)
        try:
            await asyncio.wait([task, self._lost], return_when=asyncio.FIRST_COMPLETED)
            if self._lost.done():
                self._lost.result()
            return await task
        finally:
            task.cancel()
            if not self._lost.cancel() and not self._lost.cancelled():
                self._lost.exception()  # it was told, or came too late to be
            if self._later is not None:
                self._later.cancel()

    async def _write_soon(self) -> None:
        await asyncio.sleep(_GATHERS)
        try:
            await self.settle()
        except Exception as error:  # noqa: BLE001  # told to the run that it belongs to
            self.lose(error)

    def lose(self, error: Exception) -> None:
        """Have the work that is guarded cancelled, which raises that."""
        if not self._lost.done():
            self._lost.set_exception(error)
