"""Who is there, which workers may carry out the jobs of a run, and whether they are still to."""

from aeon.platform.errors import NotFoundError
from aeon.platform.runs.machine.state import CLOSING_PHASES, ENDED_PHASES
from aeon.platform.runs.ports import RunRepository
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, Worker, WorkerRegistry


def list_live_executors(registry: WorkerRegistry) -> set[str]:
    """The executors that are there now. Raises StoreError."""
    return {each.id for each in registry.list_executors()} - {each.id for each in registry.list_dead_executors()}


def find_eligible_workers(registry: WorkerRegistry, executor: str) -> list[Worker]:
    """The workers that may carry out jobs of a run which this executor carries out. Raises StoreError.

    Those that the executor has itself; of a type of which it has none, those that are there for other processes.
    Temporal gives jobs to all; and where nobody carries the run out now, it is not known who will.
    """
    workers = registry.list_workers()
    if executor == SELF_RECOVERING_EXECUTOR or executor not in list_live_executors(registry):
        return workers
    own = {each.type for each in workers if each.executor_id == executor}
    offered = {each.id: each.types for each in registry.list_executors()}
    return [
        each
        for each in workers
        if each.executor_id == executor or (each.type not in own and each.type in offered.get(each.executor_id, ()))
    ]


def is_run_active(book: RunRepository, run: str) -> bool:
    """Whether jobs of a run are still to be carried out: it has not ended, and is not about to. Raises StoreError."""
    try:
        return book.get_phase(run) not in CLOSING_PHASES | ENDED_PHASES
    except NotFoundError:
        return False
