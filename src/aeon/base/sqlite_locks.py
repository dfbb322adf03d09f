"""Retries while SQLite's locks are held, with jitter: SQLite's own wait is unfair and does not cover every lock."""

import random
import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MAX_WAIT_SECONDS = 30.0
"""Seconds that a process waits for other processes."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.03
"""Bounds of the random pause between two tries, in seconds, so that no process is always last."""


def retry_while_locked(act: Callable[[], T]) -> T:
    """Returns the result of `act`, which is retried while another connection holds the lock. Raises sqlite3.Error."""
    end = 0.0
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            now = time.monotonic()
            end = end or now + MAX_WAIT_SECONDS
            if not is_locked_error(error) or now > end:
                raise
        sleep_with_jitter()


def is_locked_error(error: sqlite3.Error) -> bool:
    """Whether another connection holds the lock, so that the same statement may succeed later."""
    return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")


def sleep_with_jitter() -> None:
    """Sleeps for a moment before the next try at a lock."""
    time.sleep(random.uniform(_SHORTEST_PAUSE, _LONGEST_PAUSE))  # noqa: S311  # jitter, not a secret
