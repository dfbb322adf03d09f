"""Tasks that run some at once and say things as they go: by threads here, one after another in tests."""

import queue
import threading
from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Say: TypeAlias = Callable[[T], None]
"""Hands something to whoever waits."""


class Workers(Protocol[T]):
    """Runs tasks. One thread submits and waits; what each task says arrives in the order in which it said it."""

    def submit(self, task: Callable[[Say[T]], None]) -> None:
        """Have a task run, now or later."""
        ...

    def next(self) -> T:
        """What is said next, by any task. Raises what a task raised. To be called while a task has more to say."""
        ...

    def close(self) -> None:
        """Wait for what still runs."""
        ...


class _Raised(NamedTuple):
    error: BaseException


class ThreadWorkers(Generic[T]):
    """Threads that take tasks as they come: one more with each task, until there are as many as may run at once.

    A pool of the standard library makes a future with its locks for each task; here a task is only handed over.
    """

    def __init__(self, width: int) -> None:
        """`width`: tasks that run at once, at most."""
        self._width = width
        self._threads: list[threading.Thread] = []
        self._tasks: queue.SimpleQueue[Callable[[Say[T]], None] | None] = queue.SimpleQueue()
        self._said: queue.SimpleQueue[T | _Raised] = queue.SimpleQueue()

    def submit(self, task: Callable[[Say[T]], None]) -> None:
        if len(self._threads) < self._width:
            thread = threading.Thread(target=self._work, name=f"aeon-node-{len(self._threads)}")
            self._threads.append(thread)
            thread.start()
        self._tasks.put(task)

    def next(self) -> T:
        said = self._said.get()
        if isinstance(said, _Raised):
            raise said.error
        return said

    def close(self) -> None:
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task(self._said.put)
            except BaseException as error:  # noqa: BLE001  # raised again in the thread that waits
                self._said.put(_Raised(error))
