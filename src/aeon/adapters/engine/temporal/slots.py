"""Slots of a Temporal worker: one for each job that is carried out at once, and for each that waits for its service."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from temporalio.worker import (
    CustomSlotSupplier,
    FixedSizeSlotSupplier,
    SlotMarkUsedContext,
    SlotPermit,
    SlotReleaseContext,
    SlotReserveContext,
    WorkerTuner,
)

from aeon.adapters.engine.room import prefetch_limit

_POLL_INTERVAL = 0.25
"""Seconds after which more jobs may have come to wait."""

_FIXED_SLOTS = FixedSizeSlotSupplier(100)
"""Of whatever a worker of jobs never gets."""


class JobSlots(CustomSlotSupplier):
    """Those of one worker. Temporal takes a slot before it asks for a job."""

    def __init__(self, count: int, waiting: Callable[[], int]) -> None:
        """`count` jobs are carried out at once; `waiting` says how many of those taken wait."""
        self._count = count
        self._waiting = waiting
        self._taken = 0
        self._lock = threading.Lock()
        self._freed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reserve_slot(self, ctx: SlotReserveContext) -> SlotPermit:
        """Wait for one."""
        self._loop = asyncio.get_running_loop()
        while (permit := self.try_reserve_slot(ctx)) is None:
            self._freed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._freed.wait(), _POLL_INTERVAL)
        return permit

    def try_reserve_slot(self, ctx: SlotReserveContext) -> SlotPermit | None:  # noqa: ARG002  # the library's
        """One, if there is any now."""
        with self._lock:
            if self._taken >= prefetch_limit(self._count, self._waiting()):
                return None
            self._taken += 1
        return SlotPermit()

    def mark_slot_used(self, ctx: SlotMarkUsedContext) -> None:
        """It counts from when it was taken."""

    def release_slot(self, ctx: SlotReleaseContext) -> None:  # noqa: ARG002  # the library's
        """In a thread of Temporal's."""
        with self._lock:
            self._taken -= 1
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed
                self._loop.call_soon_threadsafe(self._freed.set)


def job_tuner(count: int, waiting: Callable[[], int]) -> WorkerTuner:
    """For a worker that carries jobs out and nothing else."""
    return WorkerTuner.create_composite(
        workflow_supplier=_FIXED_SLOTS,
        activity_supplier=JobSlots(count, waiting),
        local_activity_supplier=_FIXED_SLOTS,
        nexus_supplier=_FIXED_SLOTS,
    )
