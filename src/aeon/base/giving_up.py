"""Calls whose caller no longer waits: what a tool has started for one can then be ended, not left to its own limit."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

Deed = Callable[[], None]


class GivingUp:
    """Whether one call was given up, and what is done then. Threads share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_over = False
        self._deeds: list[Deed] = []

    def give_up(self) -> None:
        """Nobody waits for the call any more: do, once, what was asked for."""
        with self._lock:
            self._is_over = True
            while self._deeds:
                self._deeds.pop()()

    @contextmanager
    def doing(self, deed: Deed) -> Generator[None]:
        """While this lasts, `deed` is done when the call is given up; at once if it was. Not again after it."""
        with self._lock:
            if self._is_over:
                deed()
            else:
                self._deeds.append(deed)
        try:
            yield
        finally:
            with self._lock:
                if deed in self._deeds:
                    self._deeds.remove(deed)

    @contextmanager
    def in_force(self) -> Generator[None]:
        """While this lasts, it is this call that runs here."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)


_CURRENT: ContextVar[GivingUp | None] = ContextVar("giving_up", default=None)


@contextmanager
def when_given_up(deed: Deed) -> Generator[None]:
    """For a tool, around work that can be ended: `deed` ends it when whoever called the tool waits no longer.

    It is done in the caller's thread and must not take long.
    """
    current = _CURRENT.get()
    if current is None:
        yield
    else:
        with current.doing(deed):
            yield
