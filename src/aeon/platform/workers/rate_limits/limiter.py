"""Waits for rate limits on one event loop, in a fair order (`workers.fairness`), without blocking workers.

For each service one job of this process asks the store, and the others wait behind it. A lease that is released here
wakes it at once; one that is released by another process is found by polling.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from aeon.base.clock import Clock
from aeon.platform.catalog.model import ServiceLimits
from aeon.platform.runs.model import Job
from aeon.platform.store import StoreError
from aeon.platform.workers.fair_slots import FairSlots
from aeon.platform.workers.rate_limits.leases import LimitedService, ServiceLeaseStore
from aeon.platform.workers.rate_limits.state import LimitDecision, LimiterState

_POLL_INTERVAL = 0.2
"""Seconds between two checks for leases that other processes released."""

_RENEW_INTERVAL = 2.0
"""Seconds between two renewals of a waiter, and between two reads of the limits while waiting."""

_CACHE_SECONDS = 5.0
"""Seconds for which a service's limits are cached."""

_STORE_RETRY_INTERVAL = 1.0
"""Seconds between two attempts while the store does not answer."""

_STORE_UNAVAILABLE = LimitDecision(LimiterState(), wait=1)
"""The decision if the store did not answer."""


class _ServiceQueue:
    """The waiting jobs of one service in this process."""

    def __init__(self) -> None:
        self.turn = FairSlots(1)
        self.freed = asyncio.Event()
        self.waiting = 0


class _CachedService(NamedTuple):
    """The cached service of a tool, read at that time, once for all callers."""

    at: float
    found: asyncio.Task[LimitedService | None]


class RateLimiter:
    """Makes jobs wait for the rate limits of their services. Bound to one event loop."""

    def __init__(self, leases: ServiceLeaseStore, clock: Clock) -> None:
        self._leases = leases
        self._clock = clock
        self._services: dict[str, _CachedService] = {}
        self._gates: dict[str, _ServiceQueue] = {}

    async def find_service(self, tool: str) -> LimitedService | None:
        """Return the service of a tool with its limits, or None. Waits while the store is unavailable."""
        cached = self._services.get(tool)
        if cached is None or (cached.found.done() and self._clock.monotonic() - cached.at > _CACHE_SECONDS):
            cached = _CachedService(self._clock.monotonic(), asyncio.create_task(self._read_service(tool)))
            self._services[tool] = cached
        return await asyncio.shield(cached.found)

    async def pause(self, tool: str, seconds: float) -> None:
        """Pause the service of a tool: at once here, and within a few seconds in other processes."""
        with suppress(StoreError):
            await asyncio.to_thread(self._leases.pause, tool, seconds)
        self._services.pop(tool, None)

    async def _read_service(self, tool: str) -> LimitedService | None:
        while True:
            try:
                return await asyncio.to_thread(self._leases.find_service, tool)
            except StoreError:
                await asyncio.sleep(_STORE_RETRY_INTERVAL)

    @asynccontextmanager
    async def acquired(self, job: Job, of: LimitedService, free: FairSlots) -> AsyncGenerator[None]:
        """Hold a lease of the service and a free worker inside the context, neither while waiting."""
        gate = self._gates.setdefault(of.service, _ServiceQueue())
        await self._acquire(job, of, gate, free)
        try:
            yield
        finally:
            free.release()
            await self._release(job, of, gate)

    async def _acquire(self, job: Job, of: LimitedService, gate: _ServiceQueue, free: FairSlots) -> None:
        gate.waiting += 1
        is_taken = False
        try:
            async with gate.turn.held(job):
                while not is_taken:
                    gate.freed.clear()
                    decision = await self._try_acquire(job, of, free)
                    is_taken = decision.wait is None
                    if not is_taken:
                        of = await self._wait_until_free(job, of, gate, decision)
                        if free.locked():  # a process without a free worker must not block the queue
                            await self._leave_queue(of)
        finally:
            gate.waiting -= 1
            if not is_taken and not gate.waiting:
                await self._leave_queue(of)

    async def _try_acquire(self, job: Job, of: LimitedService, free: FairSlots) -> LimitDecision:
        """Wait for a free worker and try to acquire a lease; keep the worker only with a lease."""
        await free.acquire(job)
        is_taken = False
        try:
            decision = await self._acquire_lease(job, of)
            is_taken = decision.wait is None
            return decision
        finally:
            if not is_taken:
                free.release()

    async def _acquire_lease(self, job: Job, of: LimitedService) -> LimitDecision:
        """Acquire a lease. If the task is cancelled meanwhile, release the lease."""
        taking = asyncio.create_task(asyncio.to_thread(self._leases.acquire, of, job))
        try:
            return await asyncio.shield(taking)
        except StoreError:
            return _STORE_UNAVAILABLE
        except asyncio.CancelledError:
            with suppress(StoreError):
                if (await taking).wait is None:
                    await asyncio.to_thread(self._leases.release, of, job.id)
            raise

    async def _wait_until_free(
        self, job: Job, of: LimitedService, gate: _ServiceQueue, decision: LimitDecision
    ) -> LimitedService:
        """Wait until a lease seems free and this process is first.

        Return the service with its current limits.
        """
        while decision.wait is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_pause_seconds(decision)):
                    await gate.freed.wait()
            gate.freed.clear()
            of = await self.find_service(job.tool) or of._replace(limits=ServiceLimits())
            decision = await self._poll(of)
        return of

    async def _poll(self, of: LimitedService) -> LimitDecision:
        try:
            return await asyncio.to_thread(self._leases.poll, of)
        except StoreError:
            return _STORE_UNAVAILABLE

    async def _leave_queue(self, of: LimitedService) -> None:
        with suppress(StoreError):  # the waiter expires anyway
            await asyncio.to_thread(self._leases.leave_queue, of)

    async def _release(self, job: Job, of: LimitedService, gate: _ServiceQueue) -> None:
        with suppress(StoreError):  # the lease expires anyway
            await asyncio.shield(asyncio.to_thread(self._leases.release, of, job.id))
        gate.freed.set()


def _pause_seconds(decision: LimitDecision) -> float:
    """Return the seconds until the next check."""
    if decision is _STORE_UNAVAILABLE:
        return _STORE_RETRY_INTERVAL
    if decision.limit in ("rate", "closed") and decision.wait is not None:
        return min(decision.wait / 1000, _RENEW_INTERVAL)
    return _POLL_INTERVAL
