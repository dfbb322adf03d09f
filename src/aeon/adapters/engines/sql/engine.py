"""Runs whose completed attempts are on disk, in this process: a run continues from there, here or elsewhere."""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from uuid import uuid4

from aeon.adapters.engines.jobs import needs_nothing
from aeon.adapters.engines.run_host import RunHost
from aeon.adapters.engines.run_tasks import RunTasks
from aeon.adapters.engines.sql.checkpoints import RunCheckpoints
from aeon.adapters.engines.sql.database import RunDatabase
from aeon.adapters.engines.sql.job_queue import JobQueue
from aeon.adapters.engines.sql.journal import Journal
from aeon.adapters.engines.sql.queue_client import JobQueueClient
from aeon.base.clock import Clock
from aeon.platform.errors import ConflictError
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.lease import HaltError, LeaseLostError
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT, Job
from aeon.platform.runs.ports import RunRepository, WorkerPool

_LOG = logging.getLogger("aeon.engine")


class SqlEngine:
    """Executes runs in this process, and stores their attempts in SQL (decision 41)."""

    def __init__(  # its parts, from the composition root
        self,
        database: RunDatabase,
        repository: RunRepository,
        workers: WorkerPool,
        results: ResultStore,
        clock: Clock,
        executor: str,
        *,
        elsewhere: Collection[str] = (),
        lease: float = HEARTBEAT_TIMEOUT,
        can_execute: Callable[[Job], bool] = needs_nothing,
    ) -> None:
        """Execute runs, and close `database` at the end.

        Jobs of the types in `elsewhere` go to queues, which other processes serve, and those for which `can_execute` is
        false; all others are executed here.
        Other processes adopt runs of this one after `lease` seconds without a heartbeat.
        """
        self.executor = executor
        self.name = f"SQL, {database.name}"
        self._repository = repository
        self._database = database
        self._workers = workers
        self._journal = Journal(database, results)
        self._tasks = RunTasks(repository)
        self._queue = JobQueue(database, results)
        queues = JobQueueClient(self._queue, elsewhere, can_execute)
        self._host = RunHost(repository, workers, clock, executor, self._start_child, queues, lease)

    def start(self, run: str) -> None:
        """Start an accepted run here; a run that was started before stays with its process."""
        token = str(uuid4())
        if self._journal.start(run, token):
            self._tasks.run(self._tasks.spawn(run, partial(self._host_run, run, token)))

    def wake(self, run: str) -> None:  # noqa: ARG002  # all runs are checked
        """Check the runs' signals at once."""
        self._host.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Wait for the run to end, for at most `seconds`; return whether it has ended."""
        return self._tasks.wait(run, seconds)

    def adopt(self, runs: Sequence[str]) -> list[str]:
        """Resume runs of dead executors here. The caller must have verified that they are dead."""
        tokens = {run: str(uuid4()) for run in runs}
        if tokens:
            self._journal.adopt(tokens)
        for run, token in tokens.items():
            self._tasks.run(self._tasks.spawn(run, partial(self._host_run, run, token)))
        return list(runs)

    def check(self) -> None:
        """Read from the database."""
        _ = self._database.id

    def forget(self, runs: Sequence[str]) -> None:
        """Delete the state of runs that have ended."""
        if runs:
            self._journal.forget(runs)

    def erase(self, runs: Sequence[str], others: Sequence[str]) -> None:
        """Delete the state of runs that have ended and the large results that no open run has; rewrite the files."""
        if runs:
            self._journal.erase(runs, others)

    def queued_since(self, types: Sequence[str]) -> dict[str, float]:
        """Return when the oldest queued job of each type was queued, in seconds since 1970."""
        return self._queue.oldest_queued(types)

    def drain(self, seconds: float) -> int:
        """Start no attempt from now on; return how many have not ended after `seconds`."""
        return self._tasks.run(self._workers.drain(seconds))

    def close(self) -> None:
        """Stop at once; other processes may adopt runs that have not ended."""
        self._host.halt()
        self._database.close()
        self._tasks.close()

    async def _start_child(self, run: str) -> None:
        """Start a run in a task of its own: it starts even if the waiting caller is cancelled."""
        await asyncio.shield(asyncio.create_task(self._start_registered(run, str(uuid4()))))

    async def _start_registered(self, run: str, token: str) -> None:
        if await self._host.retry.call(self._journal.start, run, token):
            await self._tasks.spawn(run, partial(self._host_run, run, token))

    async def _host_run(self, run: str, token: str) -> bool:
        """Execute a run; return whether it has ended. A run that cannot continue here is released."""
        checkpoints = RunCheckpoints(self._journal, run, token)
        try:
            await self._host.host(run, checkpoints, checkpoints.confirm)
        except (ConflictError, LeaseLostError):
            return False
        except Exception as error:  # noqa: BLE001  # the run continues elsewhere, or here after a while
            with suppress(HaltError):
                await self._host.retry.call(self._release, run, token)
                _LOG.warning("Run %s: %s It is released, and adopted again soon.", run, error)
            return False
        return True

    def _release(self, run: str, token: str) -> None:
        """Release a run, so that any process can adopt it."""
        self._journal.release(run, token)
        self._repository.reassign(run, self.executor, "")
