"""The order in which the writers of a record write: first come, first served, across processes.

SQLite's own lock has no order: who has just written takes it again while others sleep, and some writers wait for
seconds. The queue decides only who asks SQLite next; SQLite's lock still guards the record.
"""

import fcntl
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from aeon.base.sqlite_locks import MAX_WAIT_SECONDS
from aeon.platform.store import StoreUnavailableError


class WriteQueue:
    """An advisory lock (flock) on the record's folder, which a writer holds for one transaction.

    The system grants it in the order in which it was asked for, and releases it when its process ends in any way.
    """

    def __init__(self, path: Path, max_wait: float = MAX_WAIT_SECONDS) -> None:
        """`path` is the record's file; `max_wait` is in seconds."""
        self._path = path
        self._max_wait = max_wait

    @contextmanager
    def turn(self) -> Generator[None]:
        """Wait until it is this writer's turn. Raises StoreUnavailableError if a turn before it does not end."""
        try:
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:  # it was removed, as SQLite will say
            yield
            return
        waiter = _Waiter(folder)
        try:
            if not waiter.take(self._max_wait):
                raise StoreUnavailableError(
                    f"Another process has been writing to {self._path} for {self._max_wait:.0f} s.",
                    next_step="Wait until it is done, or continue it if it was suspended.",
                )
            yield
        finally:
            waiter.leave()


class _Waiter:
    """Waits for the lock with a time limit, which flock itself does not have; so a thread waits if it is not free."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._granted = threading.Event()
        self._lock = threading.Lock()
        self._has_left = False

    def take(self, seconds: float) -> bool:
        """Whether the lock was granted in time. Where the file system has no such locks, nobody waits."""
        try:
            fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            threading.Thread(target=self._wait, name="aeon-write-queue", daemon=True).start()
            return self._granted.wait(seconds)
        except OSError:
            pass
        self._granted.set()
        return True

    def leave(self) -> None:
        """Release the lock, now or as soon as it is granted."""
        with self._lock:
            self._has_left = True
            if self._granted.is_set():
                os.close(self._folder)

    def _wait(self) -> None:
        with suppress(OSError):
            fcntl.flock(self._folder, fcntl.LOCK_EX)
        with self._lock:
            if self._has_left:
                os.close(self._folder)
            self._granted.set()
