"""Finds live executors, the workers for a run's jobs, and whether a run is active."""

from collections.abc import Collection

from aeon.platform.errors import NotFoundError
from aeon.platform.runs.machine.state import CLOSING_PHASES, ENDED_PHASES
from aeon.platform.runs.ports import RunRepository
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, Worker, WorkerRegistry


def list_live_executors(registry: WorkerRegistry) -> set[str]:
    """Return the ids of the executors that are alive. Raises StoreError."""
    return {each.id for each in registry.list_executors()} - {each.id for each in registry.list_dead_executors()}


def is_offered(registry: WorkerRegistry, needs: Collection[str]) -> bool:
    """Return whether a live process that serves queues can execute calls with these needs. Raises StoreError."""
    live = list_live_executors(registry)
    return any(
        each.id in live and each.types and each.capabilities.can_execute(needs) for each in registry.list_executors()
    )


def find_eligible_workers(registry: WorkerRegistry, executor: str, needs: Collection[str] = ()) -> list[Worker]:
    """Return the workers that may execute jobs with these needs of this executor's runs. Raises StoreError.

    They are the executor's own workers, and for types of which it has none, those of processes that serve others.
    Temporal gives jobs to all workers. If the executor is not alive, the next one is unknown, and all workers count.
    """
    executors = {each.id: each for each in registry.list_executors()}
    fitting = {id_ for id_, each in executors.items() if each.capabilities.can_execute(needs)}
    workers = [each for each in registry.list_workers() if each.executor_id in fitting]
    if executor == SELF_RECOVERING_EXECUTOR or executor not in list_live_executors(registry):
        return workers
    own = {each.type for each in workers if each.executor_id == executor}
    return [
        each
        for each in workers
        if each.executor_id == executor or (each.type not in own and each.type in executors[each.executor_id].types)
    ]


def is_run_active(runs: RunRepository, run: str) -> bool:
    """Return whether a run is open and not closing, so needs its jobs. Raises StoreError."""
    try:
        return runs.get_phase(run) not in CLOSING_PHASES | ENDED_PHASES
    except NotFoundError:
        return False
