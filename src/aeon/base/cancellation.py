"""Calls whose caller no longer waits: what a tool has started for one can then be ended, not left to its own limit."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

CancelCallback = Callable[[], None]


class CancelScope:
    """Whether one call was given up, and what is done then. Threads share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_cancelled = False
        self._callbacks: list[CancelCallback] = []

    def cancel(self) -> None:
        """Nobody waits for the call any more: do, once, what was asked for."""
        with self._lock:
            self._is_cancelled = True
            while self._callbacks:
                self._callbacks.pop()()

    @contextmanager
    def on_cancel(self, deed: CancelCallback) -> Generator[None]:
        """While this lasts, `deed` is done when the call is given up; at once if it was. Not again after it."""
        with self._lock:
            if self._is_cancelled:
                deed()
            else:
                self._callbacks.append(deed)
        try:
            yield
        finally:
            with self._lock:
                if deed in self._callbacks:
                    self._callbacks.remove(deed)

    @contextmanager
    def activate(self) -> Generator[None]:
        """While this lasts, it is this call that runs here."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)


_CURRENT: ContextVar[CancelScope | None] = ContextVar("giving_up", default=None)


@contextmanager
def on_cancel(deed: CancelCallback) -> Generator[None]:
    """For a tool, around work that can be ended: `deed` ends it when whoever called the tool waits no longer.

    It is done in the caller's thread and must not take long.
    """
    current = _CURRENT.get()
    if current is None:
        yield
    else:
        with current.on_cancel(deed):
            yield
