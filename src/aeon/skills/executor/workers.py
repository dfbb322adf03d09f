"""Tasks that run some at once and say things as they go: by threads here, one after another in tests."""

import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
    """A thread for each task that runs."""

    def __init__(self, width: int) -> None:
        """`width`: tasks that run at once, at most."""
        self._pool = ThreadPoolExecutor(width, thread_name_prefix="aeon-node")
        self._said: queue.SimpleQueue[T | _Raised] = queue.SimpleQueue()

    def submit(self, task: Callable[[Say[T]], None]) -> None:
        self._pool.submit(self._run, task)

    def next(self) -> T:
        said = self._said.get()
        if isinstance(said, _Raised):
            raise said.error
        return said

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, task: Callable[[Say[T]], None]) -> None:
        try:
            task(self._said.put)
        except BaseException as error:  # noqa: BLE001  # raised again in the thread that waits
            self._said.put(_Raised(error))
