"""What is under way and lets its thread do other things: it is attended to when a descriptor says so, or in time."""

import math
import select
import time
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_LONGEST_WAIT = 3600.0
"""Seconds that one call of poll can be asked for without doubt."""


class Pollable(Protocol[T_co]):
    """Something that one thread can have many of under way. It is over once `attend` has returned or raised."""

    @property
    def deadline(self) -> float:
        """The monotonic time at which it is to be attended to at the latest, in seconds."""
        ...

    def fileno(self) -> int | None:
        """A descriptor that is readable when there is something to attend to; None when there is always.

        To be asked for again after each attending.
        """
        ...

    def poll(self) -> T_co | None:
        """Do what can be done without waiting; the result once it is over, None before."""
        ...


class ReadyResult(Generic[T]):
    """A `Pollable` whose result is known already."""

    deadline = -math.inf

    def __init__(self, result: T) -> None:
        self._result = result

    def fileno(self) -> None:
        return None

    def poll(self) -> T:
        return self._result


def poll_until_done(pending: Pollable[T]) -> T:
    """See one thing to its end, doing nothing else."""
    while True:
        if (fd := pending.fileno()) is not None:
            poll = select.poll()
            poll.register(fd, select.POLLIN)
            poll.poll(poll_timeout(pending.deadline))
        if (result := pending.poll()) is not None:
            return result


def poll_timeout(deadline: float) -> float:
    """What to tell poll so that it returns by then, or earlier if that is far away."""
    return min(max(0.0, deadline - time.monotonic()), _LONGEST_WAIT) * 1000


PollTask: TypeAlias = Generator[Pollable[Any], Any, T]
"""Work that yields each thing it waits for, is sent its result, and returns its own."""


class TaskLoop(Protocol[T]):
    """Runs steps side by side. Everything happens in the thread that calls it."""

    def start(self, steps: PollTask[T]) -> None:
        """Have them begin. Raises what they raise."""
        ...

    def next_result(self) -> T:
        """What those steps return that end next. Raises what any steps raise, which are over then.

        To be called while some are under way.
        """
        ...

    def close(self) -> None:
        """See what is still under way to its end, whatever it comes to."""
        ...


class _WaitingTask(NamedTuple, Generic[T]):
    task: PollTask[T]
    awaited: Pollable[Any]


class PollLoop(Generic[T]):
    """Waits for all of it at once by poll. No threads: handing a node over to one costs as much as starting a script.

    Invariant: what is in `_pending` is registered under its descriptor; what need not wait is in `_runnable`.
    """

    def __init__(self) -> None:
        self._poll = select.poll()
        self._waiting: dict[int, _WaitingTask[T]] = {}
        self._runnable: deque[_WaitingTask[T]] = deque()
        self._results: deque[T] = deque()

    def start(self, steps: PollTask[T]) -> None:
        self._resume(steps, None)

    def next_result(self) -> T:
        while not self._results:
            self._run_once()
        return self._results.popleft()

    def close(self) -> None:
        while self._waiting or self._runnable:
            with suppress(Exception):  # whoever closes has the first one already
                self._run_once()

    def _run_once(self) -> None:
        """Attend to what is ready, or wait until something is."""
        if self._runnable:
            self._poll_task(self._runnable.popleft())
            return
        nearest = min(each.awaited.deadline for each in self._waiting.values())
        ready = [fd for fd, _ in self._poll.poll(poll_timeout(nearest))]
        for fd in dict.fromkeys([*ready, *self._overdue()]):
            self._poll.unregister(fd)
            self._poll_task(self._waiting.pop(fd))

    def _overdue(self) -> list[int]:
        now = time.monotonic()
        return [fd for fd, each in self._waiting.items() if each.awaited.deadline <= now]

    def _poll_task(self, each: _WaitingTask[T]) -> None:
        result = each.awaited.poll()
        if result is None:
            self._wait_for(each)
        else:
            self._resume(each.task, result)

    def _resume(self, steps: PollTask[T], result: object) -> None:
        try:
            pending = steps.send(result)
        except StopIteration as end:
            self._results.append(end.value)
        else:
            self._wait_for(_WaitingTask(steps, pending))

    def _wait_for(self, each: _WaitingTask[T]) -> None:
        fd = each.awaited.fileno()
        if fd is None:
            self._runnable.append(each)
        else:
            self._waiting[fd] = each
            self._poll.register(fd, select.POLLIN)
