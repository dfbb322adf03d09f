"""Waiting for something that nobody tells of."""

import threading
import time
from collections.abc import Callable

_POLL_INTERVAL = 0.25


def wait_until(is_so: Callable[[], bool], seconds: float | None, told: threading.Event | None = None) -> bool:
    """Whether it is so, after waiting for that so long at most; looked at when it is told, and now and then before."""
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        left = _POLL_INTERVAL if until is None else max(0.0, min(_POLL_INTERVAL, until - time.monotonic()))
        if told is not None:
            told.wait(left)
        if is_so():
            return True
        if not left:
            return False
        if told is None or told.is_set():
            time.sleep(left)
