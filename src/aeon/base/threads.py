"""Daemon threads that a caller can wait for with a timeout and then abandon: they never block the process's exit."""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class ThreadOutcome(NamedTuple, Generic[T]):
    """The outcome of a task: its result, or the exception it raised."""

    result: T | None = None
    error: BaseException | None = None


class WorkerThread(Generic[T]):
    """A daemon thread that runs one task after another until it receives None."""

    def __init__(self, name: str) -> None:
        self.tasks: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[ThreadOutcome[T]] = SimpleQueue()
        Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while (task := self.tasks.get()) is not None:
            self.outcomes.put(capture_outcome(task))


def capture_outcome(work: Callable[[], T]) -> ThreadOutcome[T]:
    """Runs `work` and captures its result or whatever it raises."""
    try:
        return ThreadOutcome(work())
    except BaseException as error:  # noqa: BLE001  # external code, SystemExit included: its failure is the result
        return ThreadOutcome(error=error)
