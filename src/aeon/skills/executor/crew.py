"""Many nodes under way in one thread: each is a generator that gives away what it waits for."""

import select
import time
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from aeon.skills.pending import Pending, milliseconds_until

T = TypeVar("T")

Steps: TypeAlias = Generator[Pending[Any], Any, T]
"""Work that yields each thing it waits for, is sent its result, and returns its own."""


class Crew(Protocol[T]):
    """Runs steps side by side. Everything happens in the thread that calls it."""

    def start(self, steps: Steps[T]) -> None:
        """Have them begin. Raises what they raise."""
        ...

    def next(self) -> T:
        """What those steps return that end next. Raises what any steps raise, which are over then.

        To be called while some are under way.
        """
        ...

    def close(self) -> None:
        """See what is still under way to its end, whatever it comes to."""
        ...


class _UnderWay(NamedTuple, Generic[T]):
    steps: Steps[T]
    pending: Pending[Any]


class PollingCrew(Generic[T]):
    """Waits for all of it at once by poll. No threads: handing a node over to one costs as much as starting a script.

    Invariant: what is in `_waiting` is registered under its descriptor; what need not wait is in `_prompt`.
    """

    def __init__(self) -> None:
        self._poll = select.poll()
        self._waiting: dict[int, _UnderWay[T]] = {}
        self._prompt: deque[_UnderWay[T]] = deque()
        self._over: deque[T] = deque()

    def start(self, steps: Steps[T]) -> None:
        self._go_on(steps, None)

    def next(self) -> T:
        while not self._over:
            self._turn()
        return self._over.popleft()

    def close(self) -> None:
        while self._waiting or self._prompt:
            with suppress(Exception):  # whoever closes has the first one already
                self._turn()

    def _turn(self) -> None:
        """Attend to what is ready, or wait until something is."""
        if self._prompt:
            self._attend(self._prompt.popleft())
            return
        nearest = min(each.pending.deadline for each in self._waiting.values())
        ready = [fd for fd, _ in self._poll.poll(milliseconds_until(nearest))]
        for fd in dict.fromkeys([*ready, *self._overdue()]):
            self._poll.unregister(fd)
            self._attend(self._waiting.pop(fd))

    def _overdue(self) -> list[int]:
        now = time.monotonic()
        return [fd for fd, each in self._waiting.items() if each.pending.deadline <= now]

    def _attend(self, each: _UnderWay[T]) -> None:
        result = each.pending.attend()
        if result is None:
            self._await(each)
        else:
            self._go_on(each.steps, result)

    def _go_on(self, steps: Steps[T], result: object) -> None:
        try:
            pending = steps.send(result)
        except StopIteration as end:
            self._over.append(end.value)
        else:
            self._await(_UnderWay(steps, pending))

    def _await(self, each: _UnderWay[T]) -> None:
        fd = each.pending.fileno()
        if fd is None:
            self._prompt.append(each)
        else:
            self._waiting[fd] = each
            self._poll.register(fd, select.POLLIN)
