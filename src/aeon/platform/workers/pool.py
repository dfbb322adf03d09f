"""Workers in this process: each job in a thread, so many at once of each type, and each within its time."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from queue import Empty
from typing import Protocol

from aeon.base.long_calls import in_long_call
from aeon.base.threads import ThreadOutcome, WorkerThread
from aeon.platform.runs.lease import ConfirmOwnership, HaltError, always_owned
from aeon.platform.runs.machine.events import StepCompleted, StepTimedOut
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.job_runner import CachedResultLookup, JobRunner, failed_job_result, is_not_started
from aeon.platform.workers.rate_limits.leases import LimitedService

_ASKS_AGAIN_AFTER = 1.0
"""Seconds, while the store is away."""


class JobBoard(Protocol):
    """Where it is shown which worker does what."""

    def job_started(self, kind: str, job: str) -> str: ...

    def job_ended(self, worker: str, *, failed: bool) -> None: ...


class JobLimiter(Protocol):
    """Has jobs wait until their services may be asked: `aeon.platform.workers.rate_limits.limiter.RateLimiter`."""

    async def find_service(self, tool: str) -> LimitedService | None: ...

    def acquired(self, job: Job, of: LimitedService, free: asyncio.Semaphore) -> AbstractAsyncContextManager[None]: ...

    async def pause(self, tool: str, seconds: float) -> None: ...


def _nothing_is_known(_job: Job) -> JobResult | None:
    return None


class LocalWorkerPool:
    """So many workers of each type, for one event loop."""

    def __init__(
        self,
        carry_out: JobRunner,
        slots: Mapping[str, int],
        board: JobBoard | None = None,
        limits: JobLimiter | None = None,
        *,
        known: CachedResultLookup = _nothing_is_known,
        otherwise: int = 4,
    ) -> None:
        """`slots` are how many there are of a type, `otherwise` how many of those that it does not name.

        What is `known` waits for no place: its service is not asked.
        """
        self._carry_out = carry_out
        self._slots = slots
        self._board = board
        self._limits = limits
        self._known = known
        self._otherwise = otherwise
        self._free: dict[str, asyncio.Semaphore] = {}
        self._waiting: dict[str, int] = {}
        self._idle: deque[WorkerThread[JobResult]] = deque()

    @asynccontextmanager
    async def reserve(
        self, job: Job, confirm: ConfirmOwnership = always_owned
    ) -> AsyncGenerator[Callable[[], JobResult]]:
        """Wait for a free worker, and for a place on the job's service if that has limits.

        Gives what has the worker carry the job out, in whichever thread, blocking for the job's time. Each try is
        confirmed before it begins, and before it has an effect (platform 43): LeaseLostError. Whoever leaves before it is
        done is not waited for: it raises HaltError then, since what it came to is not known.
        """
        if job.worker not in self._free:
            self._free[job.worker] = asyncio.Semaphore(self._slots.get(job.worker, self._otherwise))
        free = self._free[job.worker]
        limited = await self._limits.find_service(job.tool) if self._limits else None
        done = await asyncio.to_thread(self._known, job) if limited and job.effect == "pure" else None
        if done is not None:
            yield lambda: done
            return
        async with AsyncExitStack() as stack:
            with self._counted(job.worker):
                await stack.enter_async_context(
                    self._limits.acquired(job, limited, free) if self._limits and limited else free
                )
            waiting = _Waiting(job, partial(_confirmed, self._carry_out, job, confirm), self._idle)
            try:
                yield waiting if self._board is None else partial(_shown, waiting, self._board)
            finally:
                waiting.give_up()
            if self._limits and waiting.retry_after:
                await self._limits.pause(job.tool, waiting.retry_after)

    async def execute(self, job: Job, confirm: ConfirmOwnership = always_owned) -> JobResult:
        """What the job came to, once a worker is free. One that takes longer than its time is left behind."""
        async with self.reserve(job, confirm) as act:
            return await in_long_call(act)

    def queue_length(self, kind: str) -> int:
        """How many jobs of a type wait here, for their services or for a worker. Threads may ask."""
        return self._waiting.get(kind, 0)

    @contextmanager
    def _counted(self, kind: str) -> Generator[None]:
        self._waiting[kind] = self._waiting.get(kind, 0) + 1
        try:
            yield
        finally:
            self._waiting[kind] -= 1


class _Waiting:
    """For a thread to carry a job out; it is asked again only once it has answered: a late answer reaches nobody."""

    def __init__(self, job: Job, work: Callable[[], JobResult], idle: deque[WorkerThread[JobResult]]) -> None:
        self.job = job
        self.retry_after: float | None = None
        self._work = work
        self._idle = idle
        self._lock = threading.Lock()
        self._thread: WorkerThread[JobResult] | None = None
        self._is_given_up = False
        self._pause = threading.Event()

    def __call__(self) -> JobResult:
        """What the job came to, or that its time was over. While the store is away it is not begun."""
        until = time.monotonic() + self.job.timeout
        while True:
            done = self._made(until - time.monotonic())
            if not is_not_started(done) or time.monotonic() + _ASKS_AGAIN_AFTER >= until:
                return done
            if self._pause.wait(_ASKS_AGAIN_AFTER):
                raise _given_up()

    def _made(self, seconds: float) -> JobResult:
        with self._lock:
            if self._is_given_up:
                raise _given_up()
            thread = self._thread = self._idle.pop() if self._idle else WorkerThread[JobResult]("aeon-job")
        thread.tasks.put(self._work)
        try:
            outcome = thread.outcomes.get(timeout=seconds)
        except Empty:
            outcome = _LATE
        with self._lock:
            self._thread = None
        if outcome.result is None or not thread.outcomes.empty():
            thread.tasks.put(None)
            if outcome.error is not None:
                raise outcome.error
            return outcome.result or JobResult(event=StepTimedOut(step=self.job.step, attempt=self.job.attempt))
        self._idle.append(thread)
        self.retry_after = outcome.result.about.get("retryAfter")
        return outcome.result

    def give_up(self) -> None:
        """Let it raise HaltError now, if it has not answered yet. From then on nothing is begun."""
        with self._lock:
            self._is_given_up = True
            self._pause.set()
            if self._thread is not None:
                self._thread.outcomes.put(ThreadOutcome(error=_given_up()))


_LATE: ThreadOutcome[JobResult] = ThreadOutcome()


def _given_up() -> HaltError:
    """Kept as an answer it would pass for one of the tool's, or for the end of its time."""
    return HaltError("Nobody waits for it any more.")


def _confirmed(carry_out: JobRunner, job: Job, confirm: ConfirmOwnership) -> JobResult:
    """While nobody can be asked, nothing is begun."""
    try:
        confirm()
    except StoreUnavailableError as error:
        return failed_job_result(job, error)
    return carry_out(job, confirm)


def _shown(waiting: _Waiting, board: JobBoard) -> JobResult:
    worker = board.job_started(waiting.job.worker, waiting.job.id)
    failed = True
    try:
        done = waiting()
        failed = not isinstance(done.event, StepCompleted)
    finally:
        board.job_ended(worker, failed=failed)
    return done.model_copy(update={"about": {**done.about, "worker": worker}})
