"""The Temporal workers of this process."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Final

from temporalio.client import Client
from temporalio.worker import (
    CustomSlotSupplier,
    FixedSizeSlotSupplier,
    SlotMarkUsedContext,
    SlotPermit,
    SlotReleaseContext,
    SlotReserveContext,
    UnsandboxedWorkflowRunner,
    Worker,
    WorkerTuner,
)

from aeon.adapters.engines.jobs import prefetch_limit
from aeon.adapters.engines.temporal.activities import JobActivities, RunActivities
from aeon.adapters.engines.temporal.names import queue_name, run_queue
from aeon.adapters.engines.temporal.workflow import RunWorkflow
from aeon.base.errors import ConfigError
from aeon.base.long_calls import SHORT_CALLS
from aeon.platform.runs.ports import RunRepository
from aeon.platform.workers.capabilities import Capabilities

_POLL_INTERVAL = 0.25
"""Seconds after which more jobs may be waiting."""

_FIXED_SLOTS = FixedSizeSlotSupplier(100)
"""For slot types that a job worker never uses."""


class JobSlots(CustomSlotSupplier):
    """The slots of one job worker. Temporal reserves a slot before it polls for a job."""

    def __init__(self, count: int, waiting: Callable[[], int]) -> None:
        """`count` jobs run at once; `waiting` returns how many of the taken jobs wait."""
        self._count = count
        self._waiting = waiting
        self._taken = 0
        self._lock = threading.Lock()
        self._freed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reserve_slot(self, ctx: SlotReserveContext) -> SlotPermit:
        """Wait for a slot."""
        self._loop = asyncio.get_running_loop()
        while (permit := self.try_reserve_slot(ctx)) is None:
            self._freed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._freed.wait(), _POLL_INTERVAL)
        return permit

    def try_reserve_slot(self, ctx: SlotReserveContext) -> SlotPermit | None:  # noqa: ARG002  # the library's
        """Return a slot, or None if there is none now."""
        with self._lock:
            if self._taken >= prefetch_limit(self._count, self._waiting()):
                return None
            self._taken += 1
        return SlotPermit()

    def mark_slot_used(self, ctx: SlotMarkUsedContext) -> None:
        """Do nothing: a slot counts from its reservation."""

    def release_slot(self, ctx: SlotReleaseContext) -> None:  # noqa: ARG002  # the library's
        """Release a slot, in a thread of Temporal."""
        with self._lock:
            self._taken -= 1
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed
                self._loop.call_soon_threadsafe(self._freed.set)


def job_tuner(count: int, waiting: Callable[[], int]) -> WorkerTuner:
    """Return a tuner for a worker that executes only jobs."""
    return WorkerTuner.create_composite(
        workflow_supplier=_FIXED_SLOTS,
        activity_supplier=JobSlots(count, waiting),
        local_activity_supplier=_FIXED_SLOTS,
        nexus_supplier=_FIXED_SLOTS,
    )


_BUILD_ID = "aeon-1"
"""The build id of all workers, which must never change.

Temporal's default is a digest of all loaded code.
"""

_HEARTBEAT_THROTTLE = timedelta(seconds=1)
"""Minimum interval of a job's heartbeats, whose answers tell the job to stop."""

_STICKY_TIMEOUT = timedelta(seconds=5)
"""Time after which other processes get the work that a dead process held in memory."""


def run_workers(client: Client, repository: RunRepository, language: int) -> list[Worker]:
    """Return workers that execute runs without their jobs, one for each version of the language up to `language`."""
    return [
        Worker(
            client,
            task_queue=run_queue(version),
            workflows=[RunWorkflow],
            activities=RunActivities(repository, client).all,
            workflow_runner=UnsandboxedWorkflowRunner(),
            workflow_task_executor=ThreadPoolExecutor(SHORT_CALLS, "aeon-workflow"),  # its threads end with the worker
            build_id=_BUILD_ID,
            sticky_queue_schedule_to_start_timeout=_STICKY_TIMEOUT,
            max_heartbeat_throttle_interval=_HEARTBEAT_THROTTLE,
            debug_mode=True,  # else a run of 10,000 steps, which takes two seconds to load, is taken for a deadlock
        )
        for version in range(1, language + 1)
    ]


MAX_LABELS: Final = 4
"""Labels of one process: it asks a queue of its own for each set of them."""


def job_workers(
    client: Client,
    jobs: JobActivities,
    slots: Mapping[str, int],
    grace: float = 0.0,
    capabilities: Capabilities = Capabilities(),  # noqa: B008  # immutable
) -> list[Worker]:
    """Return workers that execute jobs; `slots` is the number of concurrent jobs by type.

    They serve the queues of all needs that `capabilities` satisfy; together they execute no more jobs at once than one.
    When they shut down, they take no new job and wait `grace` seconds for the others. Raises ConfigError for more than
    MAX_LABELS labels.
    """
    if len(capabilities.labels) > MAX_LABELS:
        raise ConfigError(
            f"A worker on Temporal has at most {MAX_LABELS} labels; this one has {len(capabilities.labels)}.",
            next_step="Start it with fewer labels, or start several workers.",
        )
    return [
        Worker(
            client,
            task_queue=queue_name(kind, needs),
            activities=jobs.all,
            tuner=job_tuner(count, partial(jobs.workers.queue_length, kind)),
            graceful_shutdown_timeout=timedelta(seconds=grace),
            build_id=_BUILD_ID,
            max_heartbeat_throttle_interval=_HEARTBEAT_THROTTLE,
        )
        for kind, count in slots.items()
        if count > 0
        for needs in capabilities.fitting_needs(kind)
    ]
