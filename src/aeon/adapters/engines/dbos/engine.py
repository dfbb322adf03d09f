"""Runs as DBOS workflows: each completed job is on disk, and a run continues from there."""

import asyncio
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from contextvars import Context

from dbos import DBOS, EnqueueOptions, SetWorkflowID, error

from aeon.adapters.engines.dbos.database import SQLITE, as_unavailable_errors
from aeon.adapters.engines.dbos.instance import RUN, VERSION, DbosInstance
from aeon.adapters.engines.dbos.journal import Journal, RunCheckpoints
from aeon.adapters.engines.dbos.queue_client import JobQueueClient, delete_jobs_of_runs
from aeon.adapters.engines.retry import wait_until
from aeon.adapters.engines.run_host import RunHost
from aeon.base.clock import Clock
from aeon.platform.errors import ConflictError
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.lease import HaltError, LeaseLostError
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT
from aeon.platform.runs.ports import EngineUnavailableError, RunRepository, WorkerPool

_HOLDING_QUEUE = "aeon-parked"
"""A queue without listeners, for released runs.

DBOS records an error for a workflow that raises, and never resumes it; one that is in a queue by then stays as it is.
"""

_ADOPTION_POLL_INTERVAL = 1.0
"""Seconds between two checks for adopted runs, once this process has adopted any."""


_OWNER_POLL_INTERVAL = 0.5
"""Seconds between two checks whether DBOS assigns a lost run to another process, too."""


class _RunEnd(threading.Event):
    """Set when this process no longer executes a run; `has_ended` says whether the run has ended."""

    has_ended = False


class DbosEngine:
    """DBOS Transact in this process. There is one per process at a time."""

    def __init__(  # its parts, from the composition root
        self,
        address: str,
        repository: RunRepository,
        workers: WorkerPool,
        results: ResultStore,
        clock: Clock,
        executor: str,
        *,
        elsewhere: Collection[str] = (),
        lease: float = HEARTBEAT_TIMEOUT,
        is_durable: bool = True,
    ) -> None:
        """Open or create the database at `address` (`sqlite:///FILE` or a Postgres URL).

        Jobs of the types in `elsewhere` go to queues, which other processes serve; all others are executed here.
        Other processes adopt runs of this one after `lease` seconds without a heartbeat. If `is_durable`, a power cut
        loses nothing that was stored.
        """
        self.executor = executor
        self.name = f"DBOS, {'SQLite' if address.startswith(SQLITE) else 'Postgres'}"
        self._repository = repository
        self._host = RunHost(
            repository, workers, clock, executor, self._start_outside_workflow, JobQueueClient(elsewhere), lease
        )
        self._run_ends: dict[str, _RunEnd] = {}
        self._queue = f"aeon-runs-{executor}"
        self._has_adopted = False
        self._starting: set[asyncio.Task[None]] = set()
        self._instance = DbosInstance(address, results, executor, is_durable=is_durable)
        with self._instance.closing_on_failure():
            self._journal = Journal(self._instance.database, results)

        @DBOS.workflow(name=RUN)
        async def workflow(run: str) -> None:
            await self._host_run(run)

        self._workflow = workflow
        self._instance.launch([self._queue])

    def start(self, run: str) -> None:
        """Start an accepted run here; a run that DBOS knows stays with its process."""
        DBOS.run_step({"name": RUN}, self._start_workflow, run)

    def wake(self, run: str) -> None:  # noqa: ARG002  # all runs are checked
        """Check the runs' signals at once."""
        self._host.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Wait for the run to end, for at most `seconds`; return whether it has ended."""
        run_end = self._run_ends.get(run)
        return wait_until(
            lambda: (run_end is not None and run_end.has_ended) or self._repository.get_phase(run) in ENDED_PHASES,
            seconds,
            run_end,
        )

    def adopt(self, runs: Sequence[str]) -> None:
        """Resume runs of dead executors here. The caller must have verified that they are dead."""
        if not self._has_adopted:
            with as_unavailable_errors():
                DBOS.register_queue(self._queue, polling_interval_sec=_ADOPTION_POLL_INTERVAL)
            self._has_adopted = True
        for run in runs:
            with as_unavailable_errors():
                try:
                    DBOS.resume_workflow(run, queue_name=self._queue)
                except error.DBOSNonExistentWorkflowError:  # accepted, but never started
                    self._start_in_queue(run)

    def _start_in_queue(self, run: str) -> None:
        """Start a run in this process's queue.

        The process that accepted it may start it at the same moment; then the run is moved to this queue.
        """
        options: EnqueueOptions = {
            "workflow_name": RUN,
            "queue_name": self._queue,
            "workflow_id": run,
            "app_version": VERSION,
        }
        DBOS.enqueue_workflow_with_options(options, run)  # an existing workflow stays as it is
        status = DBOS.get_workflow_status(run)
        if status is not None and status.queue_name != self._queue:
            DBOS.resume_workflow(run, queue_name=self._queue)

    def forget(self, runs: Sequence[str]) -> None:
        """Delete the state of runs that have ended."""
        with as_unavailable_errors():
            delete_jobs_of_runs(runs)
            self._journal.delete_runs(runs)
            DBOS.delete_workflows(list(runs))

    def close(self) -> None:
        """Stop at once; other processes may adopt runs that have not ended."""
        if self._instance.is_open:
            self._instance.mark_closed()
            self._host.halt()
            if self._has_adopted:
                with suppress(EngineUnavailableError), as_unavailable_errors():  # the queue has no listener in any case
                    DBOS.delete_queue(self._queue)
            self._instance.close()

    async def _host_run(self, run: str) -> None:
        run_end = self._run_ends.setdefault(run, _RunEnd())
        checkpoints = RunCheckpoints(self._journal, run, self.executor)
        try:
            with suppress(ConflictError, LeaseLostError):
                await self._host.host(run, checkpoints, checkpoints.acquire)
                run_end.has_ended = True
        except Exception:
            with suppress(HaltError):
                await self._host.retry.call(self._release_run, run)
            raise
        finally:
            self._run_ends.pop(run, None)
            run_end.set()
        if not run_end.has_ended:
            await self._wait_until_adopted(checkpoints)

    async def _wait_until_adopted(self, checkpoints: RunCheckpoints) -> None:
        """Wait until DBOS has assigned a lost run to its new process, too.

        A process that adopts a run changes the run's record first, and DBOS after it. If this workflow returned
        before, DBOS would record the run as succeeded, and no process could continue it.
        """
        while await self._host.retry.call(checkpoints.is_owner):  # noqa: ASYNC110  # there is no notification
            await asyncio.sleep(_OWNER_POLL_INTERVAL)

    async def _start_workflow(self, run: str) -> None:
        """Start the workflow as a task of DBOS's loop: a workflow that a thread starts keeps that thread to its end."""
        self._run_ends.setdefault(run, _RunEnd())
        with as_unavailable_errors(), SetWorkflowID(run):
            await DBOS.start_workflow_async(self._workflow, run)

    def _release_run(self, run: str) -> None:
        """Release a run, so that any process can continue it."""
        with as_unavailable_errors():
            DBOS.resume_workflow(run, queue_name=_HOLDING_QUEUE)
        self._repository.reassign(run, self.executor, "")

    async def _start_outside_workflow(self, run: str) -> None:
        """Start a run outside of the current workflow: inside, it would be a part of its step."""
        await self._host.retry.call_async(lambda: asyncio.shield(self._start_task(run)))

    def _start_task(self, run: str) -> asyncio.Task[None]:
        """Start the workflow in its own task: the run starts even if the waiting caller is cancelled."""
        task = asyncio.get_running_loop().create_task(self._start_workflow(run), context=Context())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        return task
