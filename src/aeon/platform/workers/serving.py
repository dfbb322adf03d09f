"""Who is there, which workers may carry out the jobs of a run, and whether they are still to."""

from aeon.platform.errors import NotFoundError
from aeon.platform.processes.running.state import CLOSING, ENDED
from aeon.platform.processes.runs.engine import Book
from aeon.platform.workers.model import TAKES_OVER_ITSELF, Worker
from aeon.platform.workers.registry import Registry


def present(registry: Registry) -> set[str]:
    """The executors that are there now. Raises StoreError."""
    return {each.id for each in registry.executors()} - {each.id for each in registry.gone()}


def serving(registry: Registry, executor: str) -> list[Worker]:
    """The workers that may carry out jobs of a run which this executor carries out. Raises StoreError.

    Those that the executor has itself; of a type of which it has none, those that are there for other processes.
    Temporal gives jobs to all; and where nobody carries the run out now, it is not known who will.
    """
    workers = registry.workers()
    if executor == TAKES_OVER_ITSELF or executor not in present(registry):
        return workers
    own = {each.type for each in workers if each.executor_id == executor}
    offered = {each.id: each.types for each in registry.executors()}
    return [
        each
        for each in workers
        if each.executor_id == executor or (each.type not in own and each.type in offered.get(each.executor_id, ()))
    ]


def is_wanted(book: Book, run: str) -> bool:
    """Whether jobs of a run are still to be carried out: it has not ended, and is not about to. Raises StoreError."""
    try:
        return book.phase(run) not in CLOSING | ENDED
    except NotFoundError:
        return False
