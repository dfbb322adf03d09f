"""A process that executes jobs of some types for runs in other processes."""

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from aeon.adapters.engines.jobs import MAX_STARTS, interrupted_result, lost_worker_result, prefetch_limit
from aeon.adapters.engines.retry import OutageLog, RetryUntilAvailable
from aeon.adapters.engines.sql.database import RunDatabase
from aeon.adapters.engines.sql.job_queue import JobQueue, TakenJob
from aeon.adapters.engines.sql.job_recovery import JobRecovery
from aeon.base.event_loop import EventLoopThread
from aeon.base.long_calls import in_long_call
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.lease import HaltError, LeaseLostError, RunLease
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT, Job, JobResult, Priority
from aeon.platform.runs.ports import EngineUnavailableError, WorkerPool
from aeon.platform.store import StoreError
from aeon.platform.workers.capabilities import Capabilities
from aeon.platform.workers.fairness import PriorityRotation

_LOG = logging.getLogger("aeon.engine")

_RECOVERY_INTERVAL = 2.0
_OWNERSHIP_POLL_INTERVAL = 0.5
_POLL_INTERVAL, _BUSY_POLL_INTERVAL = 0.25, 0.1
_BUSY_SECONDS = 3.0
"""Seconds; the last one is how long after a job another one is likely."""


class SqlWorker:
    """Executes jobs of some types, and requeues jobs of other such processes that died."""

    def __init__(  # noqa: PLR0913  # its parts, from the composition root
        self,
        database: RunDatabase,
        workers: WorkerPool,
        results: ResultStore,
        *,
        executor: str,
        slots: Mapping[str, int],
        live_executors: Callable[[], set[str]],
        is_wanted: Callable[[str], bool],
        recovery_interval: float = _RECOVERY_INTERVAL,
        lease: float = HEARTBEAT_TIMEOUT,
        capabilities: Capabilities = Capabilities(),  # noqa: B008  # immutable
    ) -> None:
        """Serve the queues of the types in `slots`, which gives the number of concurrent jobs by type, as
        far as the `capabilities` of this process go.

        `live_executors` returns their ids; this one must be registered before. Jobs of dead workers are looked for
        every `recovery_interval` seconds. `is_wanted` returns whether a run still needs its jobs. Both may raise
        StoreError. Other processes requeue jobs of this one after `lease` seconds without a heartbeat. Closes
        `database` at the end.
        """
        self._database = database
        self._queue = JobQueue(database, results)
        self._workers = workers
        self._executor = executor
        self._slots = slots
        self._is_wanted = is_wanted
        self._lease = lease
        self._recovery = JobRecovery(self._queue, executor, live_executors)
        self._recovery_interval = recovery_interval
        self._halted = threading.Event()
        self._retry = RetryUntilAvailable(self._halted)
        self._outages = OutageLog()
        self._running: dict[asyncio.Task[None], TakenJob] = {}
        self._capabilities = capabilities
        self._takes = 0
        self._rotations = {kind: PriorityRotation() for kind in slots}
        self._begun: set[str] = set()
        self._is_draining = False
        self._woken = asyncio.Event()
        self._busy_until = self._recovery_due = self._comparison_due = 0.0
        self._thread = EventLoopThread("aeon-queues")
        self._thread.run(self._start())

    def close(self) -> None:
        """Stop; other processes execute the running jobs. Calling it again does nothing."""
        self._halted.set()
        self._database.close()
        self._thread.close()

    def queued_since(self, types: Sequence[str]) -> dict[str, float]:
        """Return when the oldest queued job of each type was queued, in seconds since 1970."""
        return self._queue.oldest_queued(types)

    def drain(self, seconds: float) -> int:
        """Take no job from now on, and wait for those that have begun, for at most `seconds`; return how many are left.

        All others go back into their queues. Call `close` afterwards.
        """
        return self._thread.run(self._drain(seconds))

    async def _drain(self, seconds: float) -> int:
        self._is_draining = True
        for task, taken in self._running.items():
            if taken.id not in self._begun:
                task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        left = [*self._running]
        for task in left:
            task.cancel()
        with suppress(HaltError, EngineUnavailableError):  # another worker finds that this one is gone
            await asyncio.to_thread(self._hand_back)
        return len(left)

    def _hand_back(self) -> None:
        """Put all jobs that this process has back into their queues."""
        self._queue.requeue(self._queue.held(self._executor))

    async def _start(self) -> None:
        self._poll_task = asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        """Take jobs, cancel those that were lost, and now and then look for jobs of dead workers."""
        while not self._halted.is_set():
            try:
                await self._poll_once()
            except Exception as error:  # noqa: BLE001  # most likely an outage: the next poll finds the jobs
                if not self._halted.is_set():
                    self._outages.warn(f"The job queues cannot be polled: {error}")
            pause = _BUSY_POLL_INTERVAL if time.monotonic() < self._busy_until else _POLL_INTERVAL
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), pause)
            self._woken.clear()

    async def _poll_once(self) -> None:
        for taken in await asyncio.to_thread(self._take, self._room()):
            if self._is_draining:  # it was taken meanwhile, and goes back with the next comparison
                continue
            self._busy_until = time.monotonic() + _BUSY_SECONDS
            task = asyncio.create_task(self._run_job(taken))
            self._running[task] = taken
            task.add_done_callback(self._on_ended)
        now = time.monotonic()
        if now >= self._comparison_due:
            self._comparison_due = now + _OWNERSHIP_POLL_INTERVAL
            await self._compare_with_queue()
        if now >= self._recovery_due:
            self._recovery_due = now + self._recovery_interval
            await asyncio.to_thread(self._recovery.recover)

    def _room(self) -> dict[str, int]:
        """Return how many jobs of each type this process may take now."""
        if self._is_draining:
            return {}
        running = Counter(taken.worker for taken in self._running.values())
        limits = {kind: prefetch_limit(count, self._workers.queue_length(kind)) for kind, count in self._slots.items()}
        return {kind: limit - running[kind] for kind, limit in limits.items() if limit > running[kind]}

    def _take(self, room: Mapping[str, int]) -> list[TakenJob]:
        """Take jobs. A read that changes nothing comes first: most polls find nothing."""
        queued = self._queue.queued(room) if room else {}
        queues = [each for each in queued if self._capabilities.can_execute(each.needs)]
        if not queues:
            return []
        self._takes += 1  # each time, another queue has the first turn
        first = self._takes % len(queues)
        waiting: dict[str, set[Priority]] = {}
        for queue in queues:
            waiting.setdefault(queue.worker, set()).update(queued[queue])
        limits = {kind: self._rotations[kind].split(priorities, room[kind]) for kind, priorities in waiting.items()}
        return self._queue.take(self._executor, limits, [*queues[first:], *queues[:first]])

    async def _compare_with_queue(self) -> None:
        """Cancel jobs that this process no longer has, and requeue those that it has without executing them.

        A job is deleted when its run does not need it, and lost to another worker when this one seemed dead. A job
        that is not executed was taken with a commit whose answer was lost.
        """
        watched = dict(self._running)
        held = await asyncio.to_thread(self._queue.held, self._executor)
        for task, taken in watched.items():
            if held.pop(taken.id, None) != taken.token:
                task.cancel()
        if held:
            await asyncio.to_thread(self._queue.requeue, held)

    def _on_ended(self, task: asyncio.Task[None]) -> None:
        self._begun.discard(self._running.pop(task).id)
        self._busy_until = time.monotonic() + _BUSY_SECONDS
        self._woken.set()

    async def _run_job(self, taken: TakenJob) -> None:
        """Execute a job and store its result. The result of a job that was lost does not count."""
        with suppress(HaltError):
            try:
                result = await self._attempt_job(taken)
            except LeaseLostError as lost:
                _LOG.warning("%s This process stops executing it.", lost.message)
                return
            except HaltError:
                raise
            except Exception as error:  # noqa: BLE001  # reported to the run
                result = lost_worker_result(*taken.attempt, f"Its worker failed: {type(error).__name__}: {error}")
            await self._retry.call(self._queue.end, taken, result)

    async def _attempt_job(self, taken: TakenJob) -> JobResult:
        """Execute a job. Its start is recorded before, so that it does not start too often."""
        job = await asyncio.to_thread(self._queue.job_of, taken)
        lease = RunLease(partial(self._queue.is_held, taken), f"The job {job.id}", lasts=self._lease)
        async with self._workers.reserve(job, lease.confirm) as run:
            if not await asyncio.to_thread(self._is_still_wanted, job):
                return interrupted_result(job)
            self._begun.add(taken.id)
            earlier = await self._retry.call(self._queue.begin, taken)
            if earlier >= MAX_STARTS:
                return lost_worker_result(
                    *taken.attempt, f"Its worker was lost {MAX_STARTS} times while it executed the job"
                )
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
