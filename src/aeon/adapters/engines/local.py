"""Executes runs in this process without state of its own.

Attempts that were running at a stop are repeated.
"""

from collections.abc import Callable, Sequence
from functools import partial

from aeon.adapters.engines.jobs import needs_nothing
from aeon.adapters.engines.run_host import RunHost, without_checkpoint
from aeon.adapters.engines.run_tasks import RunTasks
from aeon.base.clock import Clock
from aeon.platform.errors import ConflictError
from aeon.platform.runs.lease import LeaseLostError
from aeon.platform.runs.model import Job
from aeon.platform.runs.ports import RunRepository, WorkerPool


class LocalEngine:
    """An engine without a store: for tests, and for runs that need not survive their process."""

    name = "local, in memory"

    def __init__(
        self,
        repository: RunRepository,
        workers: WorkerPool,
        clock: Clock,
        executor: str,
        can_execute: Callable[[Job], bool] = needs_nothing,
    ) -> None:
        """Jobs for which `can_execute` is false fail."""
        self.executor = executor
        self._workers = workers
        self._tasks = RunTasks(repository)
        self._host = RunHost(repository, workers, clock, executor, self._start, can_execute=can_execute)

    def start(self, run: str) -> None:
        """Start a run here, unless it is running already."""
        self._tasks.run(self._start(run))

    def wake(self, run: str) -> None:  # noqa: ARG002  # all runs are checked
        """Check the runs' signals at once."""
        self._host.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Wait for the run to end, for at most `seconds`; return whether it has ended."""
        return self._tasks.wait(run, seconds)

    def adopt(self, runs: Sequence[str]) -> list[str]:
        """Start the runs here."""
        for run in runs:
            self.start(run)
        return list(runs)

    def check(self) -> None:
        """Do nothing: no store exists."""

    def forget(self, runs: Sequence[str]) -> None:
        """Do nothing: no state is kept."""

    def erase(self, runs: Sequence[str], others: Sequence[str]) -> None:
        """Do nothing: no state is kept."""

    def queued_since(self, types: Sequence[str]) -> dict[str, float]:  # noqa: ARG002  # it has no queue
        """Return nothing: this engine has no queue."""
        return {}

    def drain(self, seconds: float) -> int:
        """Start no attempt from now on; return how many have not ended after `seconds`."""
        return self._tasks.run(self._workers.drain(seconds))

    def close(self) -> None:
        """Stop at once."""
        self._host.halt()
        self._tasks.close()

    async def _start(self, run: str) -> None:
        if not self._tasks.is_executed(run):
            await self._tasks.spawn(run, partial(self._host_run, run))

    async def _host_run(self, run: str) -> bool:
        try:
            await self._host.host(run, without_checkpoint)
        except (ConflictError, LeaseLostError):
            return False
        return True
