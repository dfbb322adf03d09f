"""Executes runs in this process without state of its own.

Attempts that were running at a stop are repeated.
"""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress

from aeon.adapters.engines.retry import wait_until
from aeon.adapters.engines.run_host import RunHost, without_checkpoint
from aeon.base.clock import Clock
from aeon.base.event_loop import EventLoopThread
from aeon.platform.errors import ConflictError
from aeon.platform.runs.lease import LeaseLostError
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.ports import RunRepository, WorkerPool


class LocalEngine:
    """An engine without a store: for tests, and for runs that need not survive their process."""

    name = "local, in memory"

    def __init__(self, repository: RunRepository, workers: WorkerPool, clock: Clock, executor: str) -> None:
        self.executor = executor
        self._repository = repository
        self._thread = EventLoopThread("aeon-runs")
        self._host = RunHost(repository, workers, clock, executor, self._start)
        self._run_ends: dict[str, threading.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, run: str) -> None:
        """Start a run here, unless it is running already."""
        self._thread.run(self._start(run))

    def wake(self, run: str) -> None:  # noqa: ARG002  # all runs are checked
        """Check the runs' signals at once."""
        self._host.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Wait for the run to end, for at most `seconds`; return whether it has ended."""
        return wait_until(lambda: self._repository.get_phase(run) in ENDED_PHASES, seconds, self._run_ends.get(run))

    def adopt(self, runs: Sequence[str]) -> None:
        """Start the runs here."""
        for run in runs:
            self.start(run)

    def forget(self, runs: Sequence[str]) -> None:
        """Do nothing: there is no state to delete."""

    def close(self) -> None:
        """Stop at once."""
        self._host.halt()
        self._thread.close()

    async def _start(self, run: str) -> None:
        end = self._run_ends.get(run)
        if end is None or end.is_set():
            self._run_ends[run] = threading.Event()
            self._tasks[run] = asyncio.create_task(self._host_run(run))

    async def _host_run(self, run: str) -> None:
        try:
            with suppress(ConflictError, LeaseLostError):
                await self._host.host(run, without_checkpoint)
        finally:
            self._run_ends[run].set()
            del self._tasks[run]
