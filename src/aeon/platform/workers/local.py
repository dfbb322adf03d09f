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
from aeon.base.threads import Outcome, WorkerThread
from aeon.platform.processes.running.events import StepCompleted, TimedOut
from aeon.platform.processes.runs.lease import Confirm, HaltError, held_for_ever
from aeon.platform.processes.runs.model import Done, Job
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.calling import CarryOut, Known, refused, was_not_begun
from aeon.platform.workers.limits.places import Limited

_ASKS_AGAIN_AFTER = 1.0
"""Seconds, while the store is away."""


class Board(Protocol):
    """Where it is shown which worker does what."""

    def takes(self, kind: str, job: str) -> str: ...

    def ends(self, worker: str, *, failed: bool) -> None: ...


class Limits(Protocol):
    """Has jobs wait until their services may be asked: `aeon.platform.workers.limits.waiting.Limiting`."""

    async def of(self, tool: str) -> Limited | None: ...

    def held(self, job: Job, of: Limited, free: asyncio.Semaphore) -> AbstractAsyncContextManager[None]: ...

    async def put_off(self, tool: str, seconds: float) -> None: ...


def _nothing_is_known(_job: Job) -> Done | None:
    return None


class LocalWorkers:
    """So many workers of each type, for one event loop."""

    def __init__(
        self,
        carry_out: CarryOut,
        slots: Mapping[str, int],
        board: Board | None = None,
        limits: Limits | None = None,
        *,
        known: Known = _nothing_is_known,
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
        self._idle: deque[WorkerThread[Done]] = deque()

    @asynccontextmanager
    async def place(self, job: Job, confirm: Confirm = held_for_ever) -> AsyncGenerator[Callable[[], Done]]:
        """Wait for a free worker, and for a place on the job's service if that has limits.

        Gives what has the worker carry the job out, in whichever thread, blocking for the job's time. Each try is
        confirmed before it begins, and before it has an effect (rule 43): TakenOverError. Whoever leaves before it is
        done is not waited for: it raises HaltError then, since what it came to is not known.
        """
        if job.worker not in self._free:
            self._free[job.worker] = asyncio.Semaphore(self._slots.get(job.worker, self._otherwise))
        free = self._free[job.worker]
        limited = await self._limits.of(job.tool) if self._limits else None
        done = await asyncio.to_thread(self._known, job) if limited and job.effect == "pure" else None
        if done is not None:
            yield lambda: done
            return
        async with AsyncExitStack() as stack:
            with self._counted(job.worker):
                await stack.enter_async_context(
                    self._limits.held(job, limited, free) if self._limits and limited else free
                )
            waiting = _Waiting(job, partial(_confirmed, self._carry_out, job, confirm), self._idle)
            try:
                yield waiting if self._board is None else partial(_shown, waiting, self._board)
            finally:
                waiting.give_up()
            if self._limits and waiting.retry_after:
                await self._limits.put_off(job.tool, waiting.retry_after)

    async def carry_out(self, job: Job, confirm: Confirm = held_for_ever) -> Done:
        """What the job came to, once a worker is free. One that takes longer than its time is left behind."""
        async with self.place(job, confirm) as act:
            return await in_long_call(act)

    def waiting(self, kind: str) -> int:
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

    def __init__(self, job: Job, work: Callable[[], Done], idle: deque[WorkerThread[Done]]) -> None:
        self.job = job
        self.retry_after: float | None = None
        self._work = work
        self._idle = idle
        self._lock = threading.Lock()
        self._thread: WorkerThread[Done] | None = None
        self._is_given_up = False
        self._pause = threading.Event()

    def __call__(self) -> Done:
        """What the job came to, or that its time was over. While the store is away it is not begun."""
        until = time.monotonic() + self.job.timeout
        while True:
            done = self._made(until - time.monotonic())
            if not was_not_begun(done) or time.monotonic() + _ASKS_AGAIN_AFTER >= until:
                return done
            if self._pause.wait(_ASKS_AGAIN_AFTER):
                raise _given_up()

    def _made(self, seconds: float) -> Done:
        with self._lock:
            if self._is_given_up:
                raise _given_up()
            thread = self._thread = self._idle.pop() if self._idle else WorkerThread[Done]("aeon-job")
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
            return outcome.result or Done(event=TimedOut(step=self.job.step, attempt=self.job.attempt))
        self._idle.append(thread)
        self.retry_after = outcome.result.about.get("retryAfter")
        return outcome.result

    def give_up(self) -> None:
        """Let it raise HaltError now, if it has not answered yet. From then on nothing is begun."""
        with self._lock:
            self._is_given_up = True
            self._pause.set()
            if self._thread is not None:
                self._thread.outcomes.put(Outcome(error=_given_up()))


_LATE: Outcome[Done] = Outcome()


def _given_up() -> HaltError:
    """Kept as an answer it would pass for one of the tool's, or for the end of its time."""
    return HaltError("Nobody waits for it any more.")


def _confirmed(carry_out: CarryOut, job: Job, confirm: Confirm) -> Done:
    """While nobody can be asked, nothing is begun."""
    try:
        confirm()
    except StoreUnavailableError as error:
        return refused(job, error)
    return carry_out(job, confirm)


def _shown(waiting: _Waiting, board: Board) -> Done:
    worker = board.takes(waiting.job.worker, waiting.job.id)
    failed = True
    try:
        done = waiting()
        failed = not isinstance(done.event, StepCompleted)
    finally:
        board.ends(worker, failed=failed)
    return done.model_copy(update={"about": {**done.about, "worker": worker}})
