"""Threads that are waited for as long as one likes, and left behind then: they keep no process from ending."""

from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ThreadOutcome(Generic[T]):
    """What a piece of work came to: its result, or what it raised."""

    result: T | None = None
    error: BaseException | None = None


class WorkerThread(Generic[T]):
    """A daemon thread that carries out one task after another until it is given None."""

    def __init__(self, name: str) -> None:
        self.tasks: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[ThreadOutcome[T]] = SimpleQueue()
        Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while (task := self.tasks.get()) is not None:
            self.outcomes.put(capture_outcome(task))


def capture_outcome(work: Callable[[], T]) -> ThreadOutcome[T]:
    """Carry work out, whatever it raises."""
    try:
        return ThreadOutcome(work())
    except BaseException as error:  # noqa: BLE001  # other people's code, SystemExit included: its failure is the result
        return ThreadOutcome(error=error)
