"""Jobs that other processes execute: put into the queue of their type, and awaited together.

New, unwanted and awaited jobs are collected, and handled in one thread at a time: however many jobs this process
waits for, one query fetches their results.
"""

import asyncio
import time
from collections.abc import Callable, Collection

from aeon.adapters.engines.jobs import interrupted_result
from aeon.adapters.engines.sql.job_queue import JobQueue
from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.model import Job, JobResult

_MIN_PAUSE, _MAX_PAUSE = 0.02, 0.25
"""Seconds between two polls: the shortest after an event, growing while there is none."""

_GROWTH = 1.3

_PAUSE_FACTOR = 5.0
"""A slow poll is followed by a pause of that multiple of its duration."""

_MAX_NEW_JOBS = 200
"""New jobs to enqueue before the next poll for results."""


class JobQueueClient:
    """The jobs of this process's runs that are in queues. Bound to one event loop."""

    def __init__(self, queue: JobQueue, types: Collection[str], can_execute: Callable[[Job], bool]) -> None:
        """`types` are the worker types whose jobs are executed by other processes.

        Jobs that this process cannot execute are executed there, too.
        """
        self._can_execute = can_execute
        self._queue = queue
        self._types = frozenset(types)
        self._new: dict[str, Job] = {}
        self._unwanted: list[str] = []
        self._waiting: dict[str, asyncio.Future[JobResult]] = {}
        self._woken = asyncio.Event()
        self._poll_task: asyncio.Task[None] | None = None

    async def accepts(self, job: Job, *, again: bool) -> bool:
        """Return whether a job goes to a queue; one that was queued before stays there."""
        return job.worker in self._types or not self._can_execute(job) or (again and await self._contains(job))

    async def run_job(self, job: Job, *, again: bool) -> JobResult:
        """Return the result of a queued job. With `again`, a known job is only awaited.

        A job with the effect `once` that may never have been queued is not queued again.
        """
        if again and job.effect == "once" and not await self._contains(job):
            return interrupted_result(job)
        result = self._waiting[job.id] = asyncio.get_running_loop().create_future()
        self._new[job.id] = job
        self._wake()
        try:
            return await result
        finally:
            if self._waiting.get(job.id) is result:
                del self._waiting[job.id]

    def remove_job(self, job: str) -> None:
        """Remove a job that has ended or is unwanted; one that is running is abandoned. Unknown jobs are ignored."""
        self._new.pop(job, None)
        self._unwanted.append(job)
        self._wake()

    def _wake(self) -> None:
        self._woken.set()
        if self._poll_task is None or self._poll_task.done():
            self._poll_task = asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        """Poll as long as there are jobs to enqueue, to delete, or to wait for."""
        pause = _MIN_PAUSE
        while self._new or self._unwanted or self._waiting:
            started = time.monotonic()
            was_woken = self._woken.is_set()
            self._woken.clear()
            has_results = await self._poll_once()
            pause = _MIN_PAUSE if has_results or was_woken else min(pause * _GROWTH, _MAX_PAUSE)
            duration = time.monotonic() - started
            await self._pause(max(pause, min(duration * _PAUSE_FACTOR, _MAX_PAUSE)))

    async def _pause(self, seconds: float) -> None:
        """Sleep, or return early if there is something to enqueue or to delete."""
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            return

    async def _poll_once(self) -> bool:
        """Poll once; return whether any job has ended."""
        new, unwanted = list(self._new.values())[:_MAX_NEW_JOBS], self._unwanted
        self._unwanted = []
        for job in new:
            del self._new[job.id]
        if self._new:
            self._woken.set()
        try:
            ended = await asyncio.to_thread(self._exchange, new, unwanted, list(self._waiting))
        except Exception as error:  # noqa: BLE001  # reported to every waiting run
            self._fail(error)
            return False
        for job, text in ended.items():
            self._settle(job, text)
        return bool(ended)

    def _exchange(self, new: list[Job], unwanted: list[str], waiting: list[str]) -> dict[str, str]:
        """Enqueue and delete jobs, and return the ended ones. Waits for the database if it is unavailable."""

        def act() -> dict[str, str]:
            self._queue.exchange(new, unwanted)
            return self._queue.ended(waiting)

        return self._queue.database.until_available(act)

    def _settle(self, job: str, text: str) -> None:
        result = self._waiting.get(job)
        if result is None or result.done():
            return
        try:
            result.set_result(self._queue.result_of(text))
        except Exception as error:  # noqa: BLE001  # reported to the waiting run
            result.set_exception(HaltError(f"The result of a job cannot be read: {error}"))

    def _fail(self, error: Exception) -> None:
        for result in self._waiting.values():
            if not result.done():
                result.set_exception(HaltError(f"The job queues cannot be polled: {error}"))

    async def _contains(self, job: Job) -> bool:
        return await asyncio.to_thread(self._queue.database.until_available, lambda: self._queue.contains(job.id))
