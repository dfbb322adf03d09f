"""A process that executes jobs of some types for runs in other processes."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from uuid import uuid4

from dbos import DBOS

from aeon.adapters.engines.dbos.instance import BEGUN, JOB, DbosInstance
from aeon.adapters.engines.dbos.queues import POLL_INTERVAL, JobRecovery, QueuePollers, QueueStats
from aeon.adapters.engines.jobs import MAX_STARTS, interrupted_result, lost_worker_result
from aeon.base.json import JsonObject
from aeon.base.long_calls import in_long_call
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.lease import LeaseLostError, RunLease
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT, Job, JobResult
from aeon.platform.runs.ports import WorkerPool
from aeon.platform.store import StoreError

_LOG = logging.getLogger("aeon.engine")

_RECOVERY_INTERVAL = 2.0
_OWNERSHIP_POLL_INTERVAL = 0.5
_STOP_TIMEOUT = 5.0
"""Seconds."""


class DbosWorker:
    """Executes jobs of some types, and adopts jobs of other such processes that died."""

    def __init__(  # noqa: PLR0913  # its parts, from the composition root
        self,
        address: str,
        workers: WorkerPool,
        results: ResultStore,
        *,
        executor: str,
        slots: Mapping[str, int],
        present: Callable[[], set[str]],
        is_wanted: Callable[[str], bool],
        looks_every: float = _RECOVERY_INTERVAL,
        lease: float = HEARTBEAT_TIMEOUT,
        is_durable: bool = True,
    ) -> None:
        """Serve the queues of the types in `slots`, which gives the number of concurrent jobs by type.

        `present` returns the live executors; this one must be registered before. Jobs of dead workers are looked for
        every `looks_every` seconds. `is_wanted` returns whether a run still needs its jobs. Both may raise
        StoreError. Other processes adopt jobs of this one after `lease` seconds without a heartbeat. If `is_durable`,
        a power cut loses nothing that was stored.
        """
        self._lease = lease
        self._workers = workers
        self._executor = executor
        self._is_wanted = is_wanted
        self._recovery_interval = looks_every
        self._running: dict[asyncio.Task[JobResult], str] = {}
        self._watch_task: asyncio.Task[None] | None = None
        self._stopping = threading.Event()
        self._instance = DbosInstance(address, results, executor, is_durable=is_durable)
        self._stats = stats = QueueStats(self._instance.database.engine)
        self._pollers = QueuePollers(self._instance.dbos, stats, slots, workers.queue_length)
        self._recovery = JobRecovery(stats, executor, present)

        @DBOS.workflow(name=JOB)
        async def workflow(job: JsonObject) -> JsonObject:
            return (await self._run_job(Job.parsed(job))).as_dict()

        _ = workflow
        self._instance.launch()
        self._poll_thread = threading.Thread(target=self._poll, name="aeon-queues", daemon=True)
        self._poll_thread.start()

    def close(self) -> None:
        """Stop; other processes execute the running jobs. Calling it again does nothing."""
        if self._instance.is_open:
            self._stopping.set()
            self._poll_thread.join(_STOP_TIMEOUT)
            self._instance.close()

    async def _run_job(self, job: Job) -> JobResult:
        """Return the result of a job.

        For a job that was cancelled or lost, the result does not count: nothing waits for it, and DBOS does not store
        it.
        """
        self._pollers.wake()
        task = asyncio.create_task(self._attempt_job(job))
        self._running[task] = job.id
        if self._watch_task is None or self._watch_task.done():
            self._watch_task = asyncio.create_task(self._cancel_lost_jobs())
        try:
            return await task
        except LeaseLostError as lost:
            _LOG.warning("%s This process stops executing it.", lost.message)
            return interrupted_result(job)
        except asyncio.CancelledError:
            if self._instance.is_open and task.cancelled():
                return interrupted_result(job)
            raise
        finally:
            task.cancel()
            del self._running[task]
            self._pollers.wake()

    async def _attempt_job(self, job: Job) -> JobResult:
        """Execute a job. Its start is recorded before, so that it does not start too often."""
        lease = RunLease(partial(self._is_ours, job.id), f"The job {job.id}", lasts=self._lease)
        async with self._workers.reserve(job, lease.confirm) as run:
            if not await asyncio.to_thread(self._is_still_wanted, job):
                return interrupted_result(job)
            earlier = await _count_earlier_starts()
            if earlier == MAX_STARTS:
                return lost_worker_result(job, f"Its worker was lost {MAX_STARTS} times while it executed the job")
            if earlier and job.effect == "once":
                return interrupted_result(job)
            return await in_long_call(run)

    def _is_still_wanted(self, job: Job) -> bool:
        """Return whether the run still needs the job; True if that is unknown.

        The run's process may have died before it could cancel the job.
        """
        try:
            return self._is_wanted(job.run_id)
        except StoreError:
            return True

    async def _cancel_lost_jobs(self) -> None:
        """Cancel jobs that were removed from their queue, or that another worker owns."""
        while self._running:
            await asyncio.sleep(_OWNERSHIP_POLL_INTERVAL)
            watched = dict(self._running)
            with suppress(Exception):  # the database is unavailable for a while
                ours = await asyncio.get_running_loop().run_in_executor(None, self._held_jobs, list(watched.values()))
                for task, job in watched.items():
                    if job not in ours:
                        task.cancel()

    def _is_ours(self, job: str) -> bool:
        return self._stats.is_held(job, self._executor)

    def _held_jobs(self, jobs: list[str]) -> set[str]:
        if not jobs:
            return set()
        rows = DBOS.list_workflows(
            workflow_ids=jobs, status="PENDING", executor_id=self._executor, load_input=False, load_output=False
        )
        return {row.workflow_id for row in rows}

    def _poll(self) -> None:
        """Poll for jobs in the queues, and now and then for lost jobs."""
        due = time.monotonic()
        while True:
            with suppress(Exception):  # the record or the database is unavailable: the next poll finds the jobs
                self._pollers.update()
                if time.monotonic() >= due:
                    due = time.monotonic() + self._recovery_interval
                    self._recovery.recover()
            if self._stopping.wait(POLL_INTERVAL):
                return


async def _count_earlier_starts() -> int:
    """Record a start of this workflow's job; return how often it started before.

    Only the process that owns the workflow can write it: of two that think so, one continues.
    """
    start_id = str(uuid4())
    for earlier in range(MAX_STARTS):
        if await DBOS.run_step_async({"name": BEGUN}, partial(_identity, start_id)) == start_id:
            return earlier
    return MAX_STARTS


async def _identity(text: str) -> str:
    return text
