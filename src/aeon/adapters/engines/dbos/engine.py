"""Runs as workflows of DBOS: each job that came to an end is on the disk, and a run goes on from there."""

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
"""A queue that nobody listens to. DBOS writes an error for a workflow that raises, and would never go on with it; what
is in a queue by then stays as it is."""

_TAKEOVER_POLL_INTERVAL = 1.0
"""Seconds between two looks for runs to take over, once this process takes any over."""


_OWNER_POLL_INTERVAL = 0.5
"""Seconds between two looks whether a run that was lost is another process's for DBOS, too."""


class _RunEnd(threading.Event):
    """That this process carries a run out no more, and whether that is because it has ended."""

    has_ended = False


class DbosEngine:
    """DBOS Transact in this process. There is one in a process at a time."""

    def __init__(  # its parts, each from the composition root
        self,
        address: str,
        book: RunRepository,
        workers: WorkerPool,
        results: ResultStore,
        clock: Clock,
        executor: str,
        *,
        elsewhere: Collection[str] = (),
        lease: float = HEARTBEAT_TIMEOUT,
        is_durable: bool = True,
    ) -> None:
        """Open the database at `address` (`sqlite:///FILE` or a Postgres URL), made if need be.

        Jobs of the types `elsewhere` go into queues, for whatever processes serve these; all others are done here.
        Others take runs over from this process after `lease` seconds of silence. Where it `is_durable` a power cut
        takes nothing that was kept.
        """
        self.executor = executor
        self.name = f"DBOS, {'SQLite' if address.startswith(SQLITE) else 'Postgres'}"
        self._book = book
        self._host = RunHost(
            book, workers, clock, executor, self._start_outside_workflow, JobQueueClient(elsewhere), lease
        )
        self._run_ends: dict[str, _RunEnd] = {}
        self._queue = f"aeon-runs-{executor}"
        self._is_taking_over = False
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
        """Have an accepted run carried out here; one that is known already is left to whoever has it."""
        DBOS.run_step({"name": RUN}, self._start_workflow, run)

    def wake(self, run: str) -> None:  # noqa: ARG002  # all are looked at
        """Look at the runs' signals at once."""
        self._host.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Whether the run has ended, after waiting for that so long at most."""
        over = self._run_ends.get(run)
        return wait_until(
            lambda: (over is not None and over.has_ended) or self._book.get_phase(run) in ENDED_PHASES, seconds, over
        )

    def adopt(self, runs: Sequence[str]) -> None:
        """Carry runs out here that were another's: whoever asks has made sure that he is gone."""
        if not self._is_taking_over:
            with as_unavailable_errors():
                DBOS.register_queue(self._queue, polling_interval_sec=_TAKEOVER_POLL_INTERVAL)
            self._is_taking_over = True
        for run in runs:
            with as_unavailable_errors():
                try:
                    DBOS.resume_workflow(run, queue_name=self._queue)
                except error.DBOSNonExistentWorkflowError:  # accepted, and never started
                    self._start_in_queue(run)

    def _start_in_queue(self, run: str) -> None:
        """Whoever accepted the run may come to start it at this very moment, late: then it is taken from him."""
        how: EnqueueOptions = {
            "workflow_name": RUN,
            "queue_name": self._queue,
            "workflow_id": run,
            "app_version": VERSION,
        }
        DBOS.enqueue_workflow_with_options(how, run)  # what is there already stays as it is
        status = DBOS.get_workflow_status(run)
        if status is not None and status.queue_name != self._queue:
            DBOS.resume_workflow(run, queue_name=self._queue)

    def forget(self, runs: Sequence[str]) -> None:
        """Remove what is kept of runs that have ended."""
        with as_unavailable_errors():
            delete_jobs_of_runs(runs)
            self._journal.delete_runs(runs)
            DBOS.delete_workflows(list(runs))

    def close(self) -> None:
        """Stop where everything stands; what has not ended is somebody else's to take over."""
        if self._instance.is_open:
            self._instance.mark_closed()
            self._host.halt()
            if self._is_taking_over:
                with suppress(EngineUnavailableError), as_unavailable_errors():  # nobody listens to it in any case
                    DBOS.delete_queue(self._queue)
            self._instance.close()

    async def _host_run(self, run: str) -> None:
        over = self._run_ends.setdefault(run, _RunEnd())
        checkpoints = RunCheckpoints(self._journal, run, self.executor)
        try:
            with suppress(ConflictError, LeaseLostError):
                await self._host.host(run, checkpoints, checkpoints.acquire)
                over.has_ended = True
        except Exception:
            with suppress(HaltError):
                await self._host.retry.call(self._release_run, run)
            raise
        finally:
            self._run_ends.pop(run, None)
            over.set()
        if not over.has_ended:
            await self._wait_until_taken_over(checkpoints)

    async def _wait_until_taken_over(self, checkpoints: RunCheckpoints) -> None:
        """Whoever takes a run over says so in the record first, and then to DBOS. Until then DBOS would write down that
        the run has succeeded, and nobody could go on with it.
        """
        while await self._host.retry.call(checkpoints.is_owner):  # noqa: ASYNC110  # nobody tells of it
            await asyncio.sleep(_OWNER_POLL_INTERVAL)

    async def _start_workflow(self, run: str) -> None:
        """Start the workflow as a task of DBOS's loop: a workflow that a thread starts keeps that thread to its end."""
        self._run_ends.setdefault(run, _RunEnd())
        with as_unavailable_errors(), SetWorkflowID(run):
            await DBOS.start_workflow_async(self._workflow, run)

    def _release_run(self, run: str) -> None:
        """Let whoever looks next go on with it."""
        with as_unavailable_errors():
            DBOS.resume_workflow(run, queue_name=_HOLDING_QUEUE)
        self._book.reassign(run, self.executor, "")

    async def _start_outside_workflow(self, run: str) -> None:
        """Outside of the workflow that asks for it: a workflow that is started within a step would be a part of it."""
        await self._host.retry.call_async(lambda: asyncio.shield(self._start_task(run)))

    def _start_task(self, run: str) -> asyncio.Task[None]:
        """Start the workflow in a task of its own: the run starts even if the caller is cancelled while it waits."""
        task = asyncio.get_running_loop().create_task(self._start_workflow(run), context=Context())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        return task
