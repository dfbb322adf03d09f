"""Waiting for SQLite's locks by trying again, with jitter: its own waiting is not fair, and not there for each lock."""

import random
import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MAX_WAIT_SECONDS = 30.0
"""Seconds for which a process waits for others."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.03
"""Seconds between two tries: random between these, so that no process is always late."""


def retry_while_locked(act: Callable[[], T]) -> T:
    """The result of a statement, which is repeated while another connection holds the lock. Raises sqlite3.Error."""
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
    """Sleep for a moment before the next try at a lock."""
    time.sleep(random.uniform(_SHORTEST_PAUSE, _LONGEST_PAUSE))  # noqa: S311  # jitter, not a secret
