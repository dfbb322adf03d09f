"""Waits for places, for one event loop: in the order of coming, holding no worker, and without asking all the time.

Of each service one job of this process asks, the others stand behind it. What comes free here wakes it at once; what
comes free in another process it sees when it looks again.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from aeon.base.clock import Clock
from aeon.platform.catalog.model import ServiceLimits
from aeon.platform.runs.model import Job
from aeon.platform.store import StoreError
from aeon.platform.workers.rate_limits.leases import LimitedService, ServiceLeaseStore
from aeon.platform.workers.rate_limits.state import LimitDecision, LimiterState

_LOOKS_EVERY = 0.2
"""Seconds after which a place may have come free in another process."""

_STILL_THERE_EVERY = 2.0
"""Seconds in which it is said again that somebody waits, and in which a limit may have been changed."""

_KNOWN_FOR = 5.0
"""Seconds for which the limits of a tool's service are taken to be what they were."""

_WHILE_AWAY = 1.0
"""Seconds between two questions while the store does not answer."""

_NOT_TOLD = LimitDecision(LimiterState(), wait=1)
"""The store did not answer."""


class _Gate:
    """One service's, in this process."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.freed = asyncio.Event()
        self.waiting = 0


class _Known(NamedTuple):
    """The service of a tool, asked at that moment, once for all who want to know."""

    at: float
    found: asyncio.Task[LimitedService | None]


class RateLimiter:
    """Has jobs wait until their services may be asked. All of it belongs to one event loop."""

    def __init__(self, places: ServiceLeaseStore, clock: Clock) -> None:
        self._places = places
        self._clock = clock
        self._limited: dict[str, _Known] = {}
        self._gates: dict[str, _Gate] = {}

    async def find_service(self, tool: str) -> LimitedService | None:
        """The service of a tool with its limits; None where it has none. However long the store is away."""
        known = self._limited.get(tool)
        if known is None or (known.found.done() and self._clock.monotonic() - known.at > _KNOWN_FOR):
            known = _Known(self._clock.monotonic(), asyncio.create_task(self._found(tool)))
            self._limited[tool] = known
        return await asyncio.shield(known.found)

    async def pause(self, tool: str, seconds: float) -> None:
        """The service of a tool wants to be left alone: at once here, in a few seconds everywhere."""
        with suppress(StoreError):
            await asyncio.to_thread(self._places.pause, tool, seconds)
        self._limited.pop(tool, None)

    async def _found(self, tool: str) -> LimitedService | None:
        while True:
            try:
                return await asyncio.to_thread(self._places.find_service, tool)
            except StoreError:
                await asyncio.sleep(_WHILE_AWAY)

    @asynccontextmanager
    async def acquired(self, job: Job, of: LimitedService, free: asyncio.Semaphore) -> AsyncGenerator[None]:
        """One of the service's places and one of the free workers, while inside. While it waits it holds neither."""
        gate = self._gates.setdefault(of.service, _Gate())
        await self._taken(job, of, gate, free)
        try:
            yield
        finally:
            free.release()
            await self._given_back(job, of, gate)

    async def _taken(self, job: Job, of: LimitedService, gate: _Gate, free: asyncio.Semaphore) -> None:
        gate.waiting += 1
        is_taken = False
        try:
            async with gate.turn:
                while not is_taken:
                    gate.freed.clear()
                    told = await self._asked(job, of, free)
                    is_taken = told.wait is None
                    if not is_taken:
                        of = await self._free_again(job, of, gate, told)
                        if free.locked():  # no place is kept for whoever has no worker for it
                            await self._left(of)
        finally:
            gate.waiting -= 1
            if not is_taken and not gate.waiting:
                await self._left(of)

    async def _asked(self, job: Job, of: LimitedService, free: asyncio.Semaphore) -> LimitDecision:
        """Once a worker is free, which stays taken if a place was free as well."""
        await free.acquire()
        is_taken = False
        try:
            told = await self._take(job, of)
            is_taken = told.wait is None
            return told
        finally:
            if not is_taken:
                free.release()

    async def _take(self, job: Job, of: LimitedService) -> LimitDecision:
        """Whoever is stopped while he takes a place gives it back."""
        taking = asyncio.create_task(asyncio.to_thread(self._places.acquire, of, job))
        try:
            return await asyncio.shield(taking)
        except StoreError:
            return _NOT_TOLD
        except asyncio.CancelledError:
            with suppress(StoreError):
                if (await taking).wait is None:
                    await asyncio.to_thread(self._places.release, of, job.id)
            raise

    async def _free_again(self, job: Job, of: LimitedService, gate: _Gate, told: LimitDecision) -> LimitedService:
        """Wait until a place looks free, and nobody is first; the service with the limits that it has by then."""
        while told.wait is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_pause(told)):
                    await gate.freed.wait()
            gate.freed.clear()
            of = await self.find_service(job.tool) or of._replace(limits=ServiceLimits())
            told = await self._look(of)
        return of

    async def _look(self, of: LimitedService) -> LimitDecision:
        try:
            return await asyncio.to_thread(self._places.poll, of)
        except StoreError:
            return _NOT_TOLD

    async def _left(self, of: LimitedService) -> None:
        with suppress(StoreError):  # who says no more that it waits falls out of the queue in any case
            await asyncio.to_thread(self._places.leave_queue, of)

    async def _given_back(self, job: Job, of: LimitedService, gate: _Gate) -> None:
        with suppress(StoreError):  # then it is free when its time is over
            await asyncio.shield(asyncio.to_thread(self._places.release, of, job.id))
        gate.freed.set()


def _pause(told: LimitDecision) -> float:
    """Seconds until it is worth to look again."""
    if told is _NOT_TOLD:
        return _WHILE_AWAY
    if told.limit in ("rate", "closed") and told.wait is not None:
        return min(told.wait / 1000, _STILL_THERE_EVERY)
    return _LOOKS_EVERY
