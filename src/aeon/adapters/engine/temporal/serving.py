"""Workers of Temporal as this process runs them."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from aeon.adapters.engine.temporal.activities import JobActivities, RunActivities
from aeon.adapters.engine.temporal.names import RUN_QUEUE, queue_name
from aeon.adapters.engine.temporal.running import RunWorkflow
from aeon.adapters.engine.temporal.slots import job_tuner
from aeon.platform.processes.runs.engine import RunRepository, WorkerPool

_BUILD_ID = "aeon-1"
"""Of all that runs, for ever; Temporal's own choice is a digest of all code that happens to be loaded."""

_HEARTBEAT_THROTTLE = timedelta(seconds=1)
"""A job's heartbeats are sent that often at most, and with each comes the word that it is to stop."""

_STICKY_TIMEOUT = timedelta(seconds=5)
"""What a process that is gone held in its memory is offered to others after that."""


def run_worker(client: Client, book: RunRepository) -> Worker:
    """Carries runs out: what is theirs alone, never their jobs."""
    return Worker(
        client,
        task_queue=RUN_QUEUE,
        workflows=[RunWorkflow],
        activities=RunActivities(book, client).all,
        workflow_runner=UnsandboxedWorkflowRunner(),
        build_id=_BUILD_ID,
        sticky_queue_schedule_to_start_timeout=_STICKY_TIMEOUT,
        max_heartbeat_throttle_interval=_HEARTBEAT_THROTTLE,
        debug_mode=True,  # without it a run of 10,000 steps, which takes two seconds to load, is taken for a deadlock
    )


def job_workers(client: Client, workers: WorkerPool, slots: Mapping[str, int]) -> list[Worker]:
    """Carry jobs out, of each type so many at once."""
    activities = JobActivities(workers, client).all
    return [
        Worker(
            client,
            task_queue=queue_name(kind),
            activities=activities,
            tuner=job_tuner(count, partial(workers.queue_length, kind)),
            build_id=_BUILD_ID,
            max_heartbeat_throttle_interval=_HEARTBEAT_THROTTLE,
        )
        for kind, count in slots.items()
        if count > 0
    ]
