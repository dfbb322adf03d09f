"""Workers of this process: one thread and one timeout for each job."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from queue import Empty
from typing import Protocol

from aeon.base.cancellation import CancelScope
from aeon.base.long_calls import in_long_call
from aeon.base.threads import ThreadOutcome, WorkerThread
from aeon.platform.runs.lease import ConfirmOwnership, HaltError, always_owned
from aeon.platform.runs.machine.events import StepCompleted, StepTimedOut
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.fair_slots import FairSlots
from aeon.platform.workers.job_runner import CachedResultLookup, JobRunner, failed_job_result, is_not_started
from aeon.platform.workers.rate_limits.leases import LimitedService

_STORE_RETRY_INTERVAL = 1.0
"""Seconds between two attempts while the store is unavailable."""


class JobBoard(Protocol):
    """Shows which worker executes which job."""

    def job_started(self, job: Job) -> str: ...

    def job_ended(self, worker: str, *, failed: bool) -> None: ...


class JobLimiter(Protocol):
    """Makes jobs wait for their services: `aeon.platform.workers.rate_limits.limiter.RateLimiter`."""

    async def find_service(self, tool: str) -> LimitedService | None: ...

    def acquired(self, job: Job, of: LimitedService, free: FairSlots) -> AbstractAsyncContextManager[None]: ...

    async def pause(self, tool: str, seconds: float) -> None: ...


def _no_cache(_job: Job) -> JobResult | None:
    return None


class LocalWorkerPool:
    """A fixed number of workers per type, bound to one event loop."""

    def __init__(
        self,
        run_job: JobRunner,
        slots: Mapping[str, int],
        board: JobBoard | None = None,
        limits: JobLimiter | None = None,
        *,
        known: CachedResultLookup = _no_cache,
        otherwise: int = 4,
    ) -> None:
        """`slots` is the number of workers by type, `otherwise` that of types that it does not name.

        A job whose result is `known` does not wait for the rate limit, because its service is not called.
        """
        self._run_job = run_job
        self._slots = slots
        self._board = board
        self._limits = limits
        self._find_cached = known
        self._default_slots = otherwise
        self._free: dict[str, FairSlots] = {}
        self._waiting: dict[str, int] = {}
        self._idle: deque[WorkerThread[JobResult]] = deque()
        self._executing = 0
        self._is_draining = False
        self._ended = asyncio.Event()

    @asynccontextmanager
    async def reserve(
        self, job: Job, confirm: ConfirmOwnership = always_owned
    ) -> AsyncGenerator[Callable[[], JobResult]]:
        """Wait for a free worker, and for the rate limit of the job's service if it has one.

        The context gives a blocking function that executes the job within its timeout, in any thread. Ownership is
        confirmed before each try and before an effect (platform 43): LeaseLostError. Leaving the context early
        abandons the job; the function then raises HaltError, because the result is unknown. Once the pool drains, this
        waits until it is cancelled.
        """
        await self._wait_if_draining()
        if job.worker not in self._free:
            self._free[job.worker] = FairSlots(self._slots.get(job.worker, self._default_slots))
        free = self._free[job.worker]
        service = await self._limits.find_service(job.tool) if self._limits else None
        cached = await asyncio.to_thread(self._find_cached, job) if service and job.effect == "pure" else None
        if cached is not None:
            yield lambda: cached
            return
        async with AsyncExitStack() as stack:
            with self._counting_wait(job.worker):
                await stack.enter_async_context(
                    self._limits.acquired(job, service, free) if self._limits and service else free.held(job)
                )
            if self._is_draining:
                await stack.aclose()
                await self._wait_if_draining()
            execution = _JobExecution(job, partial(_run_if_owned, self._run_job, job, confirm), self._idle)
            try:
                with self._counting_execution():
                    yield execution if self._board is None else partial(_run_on_board, execution, self._board)
            finally:
                execution.abandon()
            if self._limits and execution.retry_after:
                await self._limits.pause(job.tool, execution.retry_after)

    async def execute(self, job: Job, confirm: ConfirmOwnership = always_owned) -> JobResult:
        """Execute a job once a worker is free. A job that times out is abandoned."""
        async with self.reserve(job, confirm) as run:
            return await in_long_call(run)

    def queue_length(self, kind: str) -> int:
        """Return how many jobs of a type wait here for their services or for a worker. Thread-safe."""
        return self._waiting.get(kind, 0)

    async def drain(self, seconds: float) -> int:
        """Start no job from now on, and wait for those that are executed; return how many are left at the end.

        A job ends when its context is left: by then its result is stored.
        """
        self._is_draining = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._executing:
                    self._ended.clear()
                    await self._ended.wait()
        return self._executing

    async def _wait_if_draining(self) -> None:
        """Wait forever if the pool drains: another process executes the job."""
        if self._is_draining:
            await asyncio.get_running_loop().create_future()

    @contextmanager
    def _counting_execution(self) -> Generator[None]:
        self._executing += 1
        try:
            yield
        finally:
            self._executing -= 1
            self._ended.set()

    @contextmanager
    def _counting_wait(self, kind: str) -> Generator[None]:
        self._waiting[kind] = self._waiting.get(kind, 0) + 1
        try:
            yield
        finally:
            self._waiting[kind] -= 1


class _JobExecution:
    """Executes one job in a worker thread. A thread that times out is never used again.

    Whoever gives up waiting, at the timeout or because the run was cancelled, ends what of the call can be ended: the
    process of a script, the call of an MCP server, a request to the kernel.
    """

    def __init__(self, job: Job, work: Callable[[], JobResult], idle: deque[WorkerThread[JobResult]]) -> None:
        self.job = job
        self.retry_after: float | None = None
        self._work = work
        self._cancel_scope = CancelScope()
        self._idle = idle
        self._lock = threading.Lock()
        self._thread: WorkerThread[JobResult] | None = None
        self._is_abandoned = False
        self._pause = threading.Event()

    def __call__(self) -> JobResult:
        """Return the job's result, or a timeout. Waits while the store is unavailable."""
        until = time.monotonic() + self.job.timeout
        while True:
            result = self._run_once(until - time.monotonic())
            if not is_not_started(result) or time.monotonic() + _STORE_RETRY_INTERVAL >= until:
                return result
            if self._pause.wait(_STORE_RETRY_INTERVAL):
                raise _abandoned_error()

    def _run_once(self, seconds: float) -> JobResult:
        with self._lock:
            if self._is_abandoned:
                raise _abandoned_error()
            thread = self._thread = self._idle.pop() if self._idle else WorkerThread[JobResult]("aeon-job")
        thread.tasks.put(self._cancellable_work)
        try:
            outcome = thread.outcomes.get(timeout=seconds)
        except Empty:
            outcome = _TIMED_OUT
            self._cancel_scope.cancel()
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

    def _cancellable_work(self) -> JobResult:
        with self._cancel_scope.activate():
            return self._work()

    def abandon(self) -> None:
        """Make the call raise HaltError now, if it has not returned. Nothing is started from then on."""
        with self._lock:
            self._is_abandoned = True
            self._pause.set()
            if self._thread is not None:
                self._thread.outcomes.put(ThreadOutcome(error=_abandoned_error()))
        self._cancel_scope.cancel()


_TIMED_OUT: ThreadOutcome[JobResult] = ThreadOutcome()


def _abandoned_error() -> HaltError:
    """Return the error of an abandoned job.

    An ordinary result would look like one of the tool, or like a timeout.
    """
    return HaltError("The job was abandoned.")


def _run_if_owned(run_job: JobRunner, job: Job, confirm: ConfirmOwnership) -> JobResult:
    """Run the job if this process owns it; if ownership cannot be checked, do not start it."""
    try:
        confirm()
    except StoreUnavailableError as error:
        return failed_job_result(job, error)
    return run_job(job, confirm)


def _run_on_board(execution: _JobExecution, board: JobBoard) -> JobResult:
    worker = board.job_started(execution.job)
    failed = True
    try:
        result = execution()
        failed = not isinstance(result.event, StepCompleted)
    finally:
        board.job_ended(worker, failed=failed)
    return result.model_copy(update={"about": {**result.about, "worker": worker}})
