"""Workers of Temporal as this process runs them."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from aeon.adapters.engine.temporal.activities import JobActivities, RunActivities
from aeon.adapters.engine.temporal.names import RUNS, queue_of
from aeon.adapters.engine.temporal.running import RunWorkflow
from aeon.adapters.engine.temporal.slots import tuned
from aeon.base.long_calls import SHORT_CALLS
from aeon.platform.processes.runs.engine import Book, Workers

_BUILD = "aeon-1"
"""Of all that runs, for ever; Temporal's own choice is a digest of all code that happens to be loaded."""

_TELLS_EVERY = timedelta(seconds=1)
"""A job's heartbeats are sent that often at most, and with each comes the word that it is to stop."""

_HELD_FOR = timedelta(seconds=5)
"""What a process that is gone held in its memory is offered to others after that."""


def run_worker(client: Client, book: Book) -> Worker:
    """Carries runs out: what is theirs alone, never their jobs."""
    return Worker(
        client,
        task_queue=RUNS,
        workflows=[RunWorkflow],
        activities=RunActivities(book, client).all,
        workflow_runner=UnsandboxedWorkflowRunner(),
        workflow_task_executor=ThreadPoolExecutor(SHORT_CALLS, "aeon-workflow"),  # its threads end with the worker
        build_id=_BUILD,
        sticky_queue_schedule_to_start_timeout=_HELD_FOR,
        max_heartbeat_throttle_interval=_TELLS_EVERY,
        debug_mode=True,  # without it a run of 10,000 steps, which takes two seconds to load, is taken for a deadlock
    )


def job_workers(client: Client, workers: Workers, slots: Mapping[str, int]) -> list[Worker]:
    """Carry jobs out, of each type so many at once."""
    activities = JobActivities(workers, client).all
    return [
        Worker(
            client,
            task_queue=queue_of(kind),
            activities=activities,
            tuner=tuned(count, partial(workers.waiting, kind)),
            build_id=_BUILD,
            max_heartbeat_throttle_interval=_TELLS_EVERY,
        )
        for kind, count in slots.items()
        if count > 0
    ]
