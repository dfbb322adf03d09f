"""The lock of a record: shared for use, exclusive for checks, migration and replacement.

It is an advisory lock (flock) on a file beside the record. The system releases it when its process ends in any way, so
it is never stale.
"""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from aeon.adapters.store.sqlite.record_files import RecordFiles, as_store_os_errors, check_file
from aeon.base.sqlite_locks import MAX_WAIT_SECONDS, sleep_with_jitter
from aeon.platform.store import StoreUnavailableError

_LOCKS = Path("/proc/locks")

_EXCLUSIVE_WAIT = 5.0
"""Seconds until the other users of the record are reported. An opening takes only milliseconds."""


class RecordLock:
    """One lock on one open file. `release` ends it."""

    def __init__(self, files: RecordFiles) -> None:
        """Raises StoreUnavailableError if other users may access the lock's file."""
        self._record_files = files
        self._file = _open_lock_file(files.lock)
        self._files = (str(files.path), str(files.lock))
        self._is_alone = False
        self._opened_identities: list[tuple[int, int]] = []

    def acquire(self) -> bool:
        """Locks exclusively if no other process has the record open, else shared.

        Returns whether it is exclusive. Raises StoreUnavailableError if another process holds the lock exclusively for
        too long.
        """
        self._poll(
            lambda: self._attempt(fcntl.LOCK_EX) or self._attempt(fcntl.LOCK_SH),
            MAX_WAIT_SECONDS,
            self._exclusive_error,
        )
        return self._is_alone

    def acquire_exclusive(self) -> None:
        """Locks exclusively.

        Raises StoreUnavailableError that names the processes that have the record open.
        """
        fcntl.flock(self._file, fcntl.LOCK_UN)
        self._poll(lambda: self._attempt(fcntl.LOCK_EX), _EXCLUSIVE_WAIT, self._in_use_error)

    def share(self) -> None:
        """Changes to a shared lock for as long as the record is open. Linux does this in one step."""
        self._poll(lambda: self._attempt(fcntl.LOCK_SH), MAX_WAIT_SECONDS, self._exclusive_error)
        self._opened_identities = self._identities()

    def check(self) -> None:
        """Raises StoreUnavailableError if the record or its lock was moved or replaced."""
        with suppress(FileNotFoundError):
            if self._identities() == self._opened_identities:
                return
        raise StoreUnavailableError(
            f"{self._record_files.path} or its lock was moved, deleted or replaced while it was open. "
            "Nothing was written.",
            next_step="If it was moved, move it back; then start Aeon again.",
        )

    def release(self) -> None:
        """Releases the lock. Calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _attempt(self, kind: int) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
            self._is_alone = kind == fcntl.LOCK_EX
            return True
        return False

    def _poll(
        self, attempt: Callable[[], bool], seconds: float, timeout_error: Callable[[], StoreUnavailableError]
    ) -> None:
        end = time.monotonic() + seconds
        while not attempt():
            if time.monotonic() > end:
                raise timeout_error()
            sleep_with_jitter()

    def _identities(self) -> list[tuple[int, int]]:
        statuses = [os.stat(file) for file in self._files]  # noqa: PTH116  # called in each mutation; Path is slower
        return [(each.st_dev, each.st_ino) for each in statuses]

    def _exclusive_error(self) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"{self._record_files.path} is being checked, migrated or restored{self._holders()}.",
            next_step="Wait until this is done, and try again.",
        )

    def _in_use_error(self) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"{self._record_files.path} is open{self._holders()}, so it cannot be migrated or replaced.",
            next_step="Stop the processes that use this record, and try again.",
        )

    def _holders(self) -> str:
        """Returns the processes that hold the lock, if known: ` in process 12, 34`."""
        pids = lock_holders(os.fstat(self._file).st_ino, _LOCKS)
        return f" in process {', '.join(map(str, pids))}" if pids else ""


def lock_holders(inode: int, locks: Path) -> list[int]:
    """Returns the processes with an flock on that inode; empty without /proc/locks."""
    with suppress(OSError):
        lines = [line.split() for line in locks.read_text("ascii").splitlines()]
        return sorted({int(line[4]) for line in lines if line[1] == "FLOCK" and line[5].endswith(f":{inode}")})
    return []


def _open_lock_file(path: Path) -> int:
    with as_store_os_errors(path):
        file = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            check_file(path, os.fstat(file))
        except BaseException:
            os.close(file)
            raise
    return file
