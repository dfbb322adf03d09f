"""What is under way and lets its thread do other things: it is attended to when a descriptor says so, or in time."""

import math
import select
import time
from typing import Generic, Protocol, TypeVar

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
    """A `Pending` whose result is known already."""

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
