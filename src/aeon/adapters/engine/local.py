"""Carries runs out in this process, and keeps nothing of its own: what was under way when it stops is made again."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress

from aeon.adapters.engine.carrying import Carrying, without_checkpoint
from aeon.adapters.engine.waiting import waited
from aeon.adapters.operations.event_loop import EventLoopThread
from aeon.base.clock import Clock
from aeon.platform.errors import ConflictError
from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.runs.engine import Book, Workers
from aeon.platform.processes.runs.lease import TakenOverError


class LocalEngine:
    """An engine without a store: for tests, and for runs that need not survive their process."""

    name = "local, in memory"

    def __init__(self, book: Book, workers: Workers, clock: Clock, executor: str) -> None:
        self.executor = executor
        self._book = book
        self._thread = EventLoopThread("aeon-runs")
        self._carrying = Carrying(book, workers, clock, executor, self._started)
        self._over: dict[str, threading.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, run: str) -> None:
        """Carry it out here, unless that is so already."""
        self._thread.run(self._started(run))

    def wake(self, run: str) -> None:  # noqa: ARG002  # all are looked at
        """Look at the runs' signals at once."""
        self._carrying.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Whether the run has ended, after waiting for that so long at most."""
        return waited(lambda: self._book.phase(run) in ENDED, seconds, self._over.get(run))

    def take_over(self, runs: Sequence[str]) -> None:
        """Carry them out here."""
        for run in runs:
            self.start(run)

    def forget(self, runs: Sequence[str]) -> None:
        """There is nothing to forget."""

    def close(self) -> None:
        """Stop where everything stands."""
        self._carrying.halt()
        self._thread.close()

    async def _started(self, run: str) -> None:
        over = self._over.get(run)
        if over is None or over.is_set():
            self._over[run] = threading.Event()
            self._tasks[run] = asyncio.create_task(self._carry(run))

    async def _carry(self, run: str) -> None:
        try:
            with suppress(ConflictError, TakenOverError):
                await self._carrying.carry(run, without_checkpoint)
        finally:
            self._over[run].set()
            del self._tasks[run]
