"""Workers in this process: each job in a thread, so many at once of each type, and each within its time."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol, TypeVar

from aeon.platform.processes.running.events import StepCompleted, TimedOut
from aeon.platform.processes.runs.model import Done, Job
from aeon.platform.workers.calling import CarryOut

T = TypeVar("T")


class Board(Protocol):
    """Where it is shown which worker does what."""

    def takes(self, kind: str, job: str) -> str: ...

    def ends(self, worker: str, *, failed: bool) -> None: ...


class LocalWorkers:
    """So many workers of each type, for one event loop."""

    def __init__(
        self, carry_out: CarryOut, slots: Mapping[str, int], board: Board | None = None, *, otherwise: int = 4
    ) -> None:
        """`slots` are how many there are of a type, `otherwise` how many of those that it does not name."""
        self._carry_out = carry_out
        self._slots = slots
        self._board = board
        self._otherwise = otherwise
        self._free: dict[str, asyncio.Semaphore] = {}

    async def carry_out(self, job: Job) -> Done:
        """What the job came to, once a worker is free. One that takes longer than its time is left behind."""
        if job.worker not in self._free:
            self._free[job.worker] = asyncio.Semaphore(self._slots.get(job.worker, self._otherwise))
        async with self._free[job.worker]:
            if self._board is None:
                return await self._in_time(job)
            worker = self._board.takes(job.worker, job.id)
            failed = True
            try:
                done = await self._in_time(job)
                failed = not isinstance(done.event, StepCompleted)
            finally:
                self._board.ends(worker, failed=failed)
            return done.model_copy(update={"about": {**done.about, "worker": worker}})

    async def _in_time(self, job: Job) -> Done:
        try:
            async with asyncio.timeout(job.timeout):
                return await _in_thread(lambda: self._carry_out(job))
        except TimeoutError:
            return Done(event=TimedOut(step=job.step, attempt=job.attempt))


async def _in_thread(work: Callable[[], T]) -> T:
    """In a thread that nobody waits for once its time is over: what it answers then reaches nobody."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def give(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # pyright: ignore[reportArgumentType]  # T may itself be None

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001  # it belongs to whoever awaits it
            error = raised
        with suppress(RuntimeError):  # the loop is over, and with it whoever waited
            loop.call_soon_threadsafe(give, result, error)

    threading.Thread(target=run, name="aeon-job", daemon=True).start()
    return await answer
