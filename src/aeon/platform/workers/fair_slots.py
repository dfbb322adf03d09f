"""Slots that are granted to jobs in the order of `fairness`, not in that of their arrival."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aeon.platform.runs.model import Job
from aeon.platform.workers.fairness import FairQueue


class FairSlots:
    """A number of slots, bound to one event loop: a semaphore that knows priorities and users."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: FairQueue[asyncio.Future[None]] = FairQueue()

    def locked(self) -> bool:
        """Return whether the next job has to wait."""
        return not self._free

    async def acquire(self, job: Job) -> None:
        """Wait for a slot; the caller releases it."""
        if self._free:
            self._free -= 1
            return
        granted = asyncio.get_running_loop().create_future()
        self._waiting.add(job.priority, job.user, job.weight, granted)
        try:
            await granted
        except asyncio.CancelledError:
            if not granted.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Give a slot back: to the next job that waits, if any."""
        while self._waiting:
            granted = self._waiting.pop()
            if not granted.done():
                granted.set_result(None)
                return
        self._free += 1

    @asynccontextmanager
    async def held(self, job: Job) -> AsyncGenerator[None]:
        """Hold a slot inside the context."""
        await self.acquire(job)
        try:
            yield
        finally:
            self.release()
