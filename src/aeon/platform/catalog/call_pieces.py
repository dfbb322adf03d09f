"""The text of model calls while it is made, for who waits for a run in this process."""

from collections.abc import Callable
from threading import Lock
from typing import TypeAlias

PieceListener: TypeAlias = Callable[[str, str], None]
"""Gets the key of a call and a piece of its text."""


class CallPieces:
    """Passes pieces on to the listener of a run. Nobody depends on them: the result of the call is the truth.

    Threads may share it. Calls that other processes execute have no pieces here.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._listeners: dict[str, PieceListener] = {}

    def listen(self, run: str, listener: PieceListener) -> None:
        """Let `listener` have the pieces of a run's calls, until `forget`."""
        with self._lock:
            self._listeners[run] = listener

    def forget(self, run: str) -> None:
        """Pass on no more pieces of a run. Calling it again does nothing."""
        with self._lock:
            self._listeners.pop(run, None)

    def sink(self, key: str | None) -> Callable[[str], None] | None:
        """Return what takes the pieces of a call with this key, `RUN:STEP:ATTEMPT`; None if nobody listens."""
        if key is None:
            return None
        with self._lock:
            listener = self._listeners.get(key.partition(":")[0])
        return None if listener is None else lambda text: listener(key, text)
