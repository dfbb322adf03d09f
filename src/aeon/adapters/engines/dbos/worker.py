"""A process that carries out jobs of some types, for runs that go on in other processes."""

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
    """Carries out jobs of some types. It takes over what other such processes had begun when they were lost."""

    def __init__(  # noqa: PLR0913  # its parts, each from the composition root
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
        """Serve the queues of the types in `slots`, so many jobs of each at once.

        `present` says which executors there are now, this one among them: it must be entered there before. Every
        `looks_every` seconds it is looked for jobs whose worker is not. `is_run_active` says whether a run's jobs are
        still to be carried out. Both may raise StoreError. Others take jobs over from this process after `lease`
        seconds of silence. A power cut takes nothing that was kept where it `is_durable`.
        """
        self._lease = lease
        self._workers = workers
        self._executor = executor
        self._is_wanted = is_wanted
        self._looks_every = looks_every
        self._running: dict[asyncio.Task[JobResult], str] = {}
        self._watch_task: asyncio.Task[None] | None = None
        self._stopping = threading.Event()
        self._instance = DbosInstance(address, results, executor, is_durable=is_durable)
        self._queue_stats = standing = QueueStats(self._instance.database.engine)
        self._pollers = QueuePollers(self._instance.dbos, standing, slots, workers.queue_length)
        self._recovery = JobRecovery(standing, executor, present)

        @DBOS.workflow(name=JOB)
        async def workflow(told: JsonObject) -> JsonObject:
            return (await self._run_job(Job.parsed(told))).as_dict()

        _ = workflow
        self._instance.launch()
        self._poll_thread = threading.Thread(target=self._poll, name="aeon-queues", daemon=True)
        self._poll_thread.start()

    def close(self) -> None:
        """Stop; what was under way is carried out elsewhere. Twice is once."""
        if self._instance.is_open:
            self._stopping.set()
            self._poll_thread.join(_STOP_TIMEOUT)
            self._instance.close()

    async def _run_job(self, job: Job) -> JobResult:
        """What a job came to; if it is given up or lost before, then what nobody asks for, and DBOS does not take."""
        self._pollers.wake()
        task = asyncio.create_task(self._attempt_job(job))
        self._running[task] = job.id
        if self._watch_task is None or self._watch_task.done():
            self._watch_task = asyncio.create_task(self._cancel_lost_jobs())
        try:
            return await task
        except LeaseLostError as lost:
            _LOG.warning("%s Nothing more is done for it here.", lost.message)
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
        """What a job came to. That it is begun is known before it is, so that it is not begun too often."""
        lease = RunLease(partial(self._is_ours, job.id), f"The job {job.id}", lasts=self._lease)
        async with self._workers.reserve(job, lease.confirm) as act:
            if not await asyncio.to_thread(self._is_still_wanted, job):
                return interrupted_result(job)
            earlier = await _count_earlier_starts()
            if earlier == MAX_STARTS:
                return lost_worker_result(job, f"A worker was lost {MAX_STARTS} times while it carried it out")
            if earlier and job.effect == "once":
                return interrupted_result(job)
            return await in_long_call(act)

    def _is_still_wanted(self, job: Job) -> bool:
        """Whoever wanted it no more may have been killed before he could take it back. In doubt it is made."""
        try:
            return self._is_wanted(job.run_id)
        except StoreError:
            return True

    async def _cancel_lost_jobs(self) -> None:
        """Give up what was taken out of its queue, or has become another worker's."""
        while self._running:
            await asyncio.sleep(_OWNERSHIP_POLL_INTERVAL)
            looked_at = dict(self._running)
            with suppress(Exception):  # the database is away for a while
                ours = await asyncio.get_running_loop().run_in_executor(None, self._held_jobs, list(looked_at.values()))
                for task, job in looked_at.items():
                    if job not in ours:
                        task.cancel()

    def _is_ours(self, job: str) -> bool:
        return self._queue_stats.is_held(job, self._executor)

    def _held_jobs(self, jobs: list[str]) -> set[str]:
        if not jobs:
            return set()
        found = DBOS.list_workflows(
            workflow_ids=jobs, status="PENDING", executor_id=self._executor, load_input=False, load_output=False
        )
        return {row.workflow_id for row in found}

    def _poll(self) -> None:
        """For jobs in the queues, and now and then for lost ones."""
        due = time.monotonic()
        while True:
            with suppress(Exception):  # the record or the database is away for a while: the next look finds them
                self._pollers.update()
                if time.monotonic() >= due:
                    due = time.monotonic() + self._looks_every
                    self._recovery.recover()
            if self._stopping.wait(POLL_INTERVAL):
                return


async def _count_earlier_starts() -> int:
    """How often the job of this workflow was begun, without this time; that it is, is written down then.

    Only whoever has the workflow now can write it: of two who think so one goes on.
    """
    me = str(uuid4())
    for earlier in range(MAX_STARTS):
        if await DBOS.run_step_async({"name": BEGUN}, partial(_identity, me)) == me:
            return earlier
    return MAX_STARTS


async def _identity(text: str) -> str:
    return text
