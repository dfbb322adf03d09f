"""Waiting for something that nobody tells of."""

import threading
import time
from collections.abc import Callable

_LOOKS_EVERY = 0.25


def waited(is_so: Callable[[], bool], seconds: float | None, told: threading.Event | None = None) -> bool:
    """Whether it is so, after waiting for that so long at most; looked at again when it is told."""
    until = None if seconds is None else time.monotonic() + seconds
    while not is_so():
        left = _LOOKS_EVERY if until is None else min(_LOOKS_EVERY, until - time.monotonic())
        if left <= 0:
            return False
        if told is None or told.is_set():
            time.sleep(left)
        else:
            told.wait(left)
    return True
