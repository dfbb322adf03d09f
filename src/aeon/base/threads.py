"""Threads that are waited for as long as one likes, and left behind then: they keep no process from ending."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")

SHORT_CALLS = 12
"""Threads of an event loop for short calls, such as queries, however many tasks wait for them."""

_LONG_CALLS = 10_000
"""Threads for long calls. Their callers limit how many there are: each has a worker, and settings limit these."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a piece of work came to: its result, or what it raised."""

    result: T | None = None
    error: BaseException | None = None


class WorkerThread(Generic[T]):
    """A daemon thread that carries out one task after another until it is given None."""

    def __init__(self, name: str) -> None:
        self.tasks: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[Outcome[T]] = SimpleQueue()
        Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while (task := self.tasks.get()) is not None:
            self.outcomes.put(outcome_of(task))


async def in_long_call(work: Callable[[], T]) -> T:
    """The result of work that blocks for long, in a thread that short calls do not wait for."""
    return await asyncio.get_running_loop().run_in_executor(_long_calls(), copy_context().run, work)


@cache
def _long_calls() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_LONG_CALLS, "aeon-long-call")


def outcome_of(work: Callable[[], T]) -> Outcome[T]:
    """Carry work out, whatever it raises."""
    try:
        return Outcome(work())
    except BaseException as error:  # noqa: BLE001  # other people's code, SystemExit included: its failure is the result
        return Outcome(error=error)
