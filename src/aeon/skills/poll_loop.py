"""A single-threaded loop that runs many tasks at once by polling file descriptors."""

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
"""Seconds that one call of poll may wait at most."""


class Pollable(Protocol[T_co]):
    """An operation that one thread can run many of.

    It is over once `poll` has returned a result or raised.
    """

    @property
    def deadline(self) -> float:
        """The monotonic time, in seconds, by which `poll` must be called."""
        ...

    def fileno(self) -> int | None:
        """Returns a descriptor that is readable when `poll` has work to do; None if it always has.

        The caller must call this again after each `poll`.
        """
        ...

    def poll(self) -> T_co | None:
        """Does the work that needs no waiting.

        Returns the result once the operation is over, None before.
        """
        ...


class ReadyResult(Generic[T]):
    """A `Pollable` with a result that is known from the start."""

    deadline = -math.inf

    def __init__(self, result: T) -> None:
        self._result = result

    def fileno(self) -> None:
        return None

    def poll(self) -> T:
        return self._result


def poll_until_done(pending: Pollable[T]) -> T:
    """Runs one operation to its end and returns its result."""
    while True:
        if (fd := pending.fileno()) is not None:
            poll = select.poll()
            poll.register(fd, select.POLLIN)
            poll.poll(poll_timeout(pending.deadline))
        if (result := pending.poll()) is not None:
            return result


def poll_timeout(deadline: float) -> float:
    """Returns the timeout for poll in milliseconds, capped if the deadline is far away."""
    return min(max(0.0, deadline - time.monotonic()), _LONGEST_WAIT) * 1000


PollTask: TypeAlias = Generator[Pollable[Any], Any, T]
"""A generator that yields each operation it waits for, receives its result, and returns its own result."""


class TaskLoop(Protocol[T]):
    """Runs tasks concurrently, all in the calling thread."""

    def start(self, steps: PollTask[T]) -> None:
        """Starts a task. Raises what the task raises."""
        ...

    def next_result(self) -> T:
        """Returns the result of the next task that ends.

        Raises what any task raises; that task is then over. Call it only while tasks are running.
        """
        ...

    def close(self) -> None:
        """Runs the remaining tasks to their end and ignores their results and errors."""
        ...


class _WaitingTask(NamedTuple, Generic[T]):
    task: PollTask[T]
    awaited: Pollable[Any]


class PollLoop(Generic[T]):
    """A task loop that waits by poll.

    It uses no threads: passing a node to one costs as much as starting a script. Invariant: a task in `_waiting` is
    registered under its descriptor; a task that need not wait is in `_runnable`.
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
            with suppress(Exception):  # the caller already has the first error
                self._run_once()

    def _run_once(self) -> None:
        """Polls what is ready, or waits until something is."""
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
