"""Cancellation of calls whose caller stopped waiting: ends the work that a tool started, before its own timeout."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

CancelCallback = Callable[[], None]


class CancelScope:
    """The cancellation state of one call and its callbacks. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_cancelled = False
        self._callbacks: list[CancelCallback] = []

    def cancel(self) -> None:
        """The caller has stopped waiting: runs each callback once."""
        with self._lock:
            self._is_cancelled = True
            while self._callbacks:
                self._callbacks.pop()()

    @contextmanager
    def on_cancel(self, callback: CancelCallback) -> Generator[None]:
        """Runs `callback` if the call is cancelled inside the context; at once if it already was. Never afterwards."""
        with self._lock:
            if self._is_cancelled:
                callback()
            else:
                self._callbacks.append(callback)
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

    @contextmanager
    def activate(self) -> Generator[None]:
        """Makes this scope the current one inside the context."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)


_CURRENT: ContextVar[CancelScope | None] = ContextVar("cancel_scope", default=None)


@contextmanager
def on_cancel(callback: CancelCallback) -> Generator[None]:
    """For tools, around work that can be ended: `callback` ends it when the tool's caller stops waiting.

    The callback runs in the caller's thread and must be quick.
    """
    current = _CURRENT.get()
    if current is None:
        yield
    else:
        with current.on_cancel(callback):
            yield
