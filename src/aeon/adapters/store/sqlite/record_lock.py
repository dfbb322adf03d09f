"""The lock of a record: shared by all who have it open, held alone by who checks, migrates or replaces it.

An advisory lock (flock) on a file beside the record. It ends with its process, however that ends, so it is never stale.
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
"""Seconds until others who have the record open are named. Who only opens it is done in milliseconds."""


class RecordLock:
    """One lock, on one open file. `release` ends it."""

    def __init__(self, place: RecordFiles) -> None:
        """Raises StoreUnavailableError when the lock's file is not this user's alone."""
        self._place = place
        self._file = _open_lock_file(place.lock)
        self._files = (str(place.path), str(place.lock))
        self._is_alone = False
        self._seen: list[tuple[int, int]] = []

    def acquire(self) -> bool:
        """Lock it alone if nobody else has the record open, else shared; whether it is alone.

        Raises StoreUnavailableError when another process holds it alone for long.
        """
        self._poll(
            lambda: self._attempt(fcntl.LOCK_EX) or self._attempt(fcntl.LOCK_SH),
            MAX_WAIT_SECONDS,
            self._exclusive_error,
        )
        return self._is_alone

    def acquire_exclusive(self) -> None:
        """Lock it alone. Raises StoreUnavailableError that names the processes that have the record open."""
        fcntl.flock(self._file, fcntl.LOCK_UN)
        self._poll(lambda: self._attempt(fcntl.LOCK_EX), _EXCLUSIVE_WAIT, self._in_use_error)

    def share(self) -> None:
        """Let others in, and hold the lock for as long as the record is open. Linux does both in one step."""
        self._poll(lambda: self._attempt(fcntl.LOCK_SH), MAX_WAIT_SECONDS, self._exclusive_error)
        self._seen = self._identities()

    def check(self) -> None:
        """Raises StoreUnavailableError when the record or its lock was moved, deleted or replaced meanwhile."""
        with suppress(FileNotFoundError):
            if self._identities() == self._seen:
                return
        raise StoreUnavailableError(
            f"{self._place.path} or its lock was moved, deleted or replaced while it was open. Nothing was written.",
            next_step="Put it back if it was moved, and start Aeon again.",
        )

    def release(self) -> None:
        """End the lock. Calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _attempt(self, kind: int) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
            self._is_alone = kind == fcntl.LOCK_EX
            return True
        return False

    def _poll(self, attempt: Callable[[], bool], seconds: float, refusal: Callable[[], StoreUnavailableError]) -> None:
        end = time.monotonic() + seconds
        while not attempt():
            if time.monotonic() > end:
                raise refusal()
            sleep_with_jitter()

    def _identities(self) -> list[tuple[int, int]]:
        found = [os.stat(file) for file in self._files]  # noqa: PTH116  # each mutation asks, and a Path takes longer
        return [(each.st_dev, each.st_ino) for each in found]

    def _exclusive_error(self) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"{self._place.path} is being checked, migrated or restored{self._holders()}.",
            next_step="Wait until it is done and try again.",
        )

    def _in_use_error(self) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"{self._place.path} is open{self._holders()}, so it cannot be migrated or replaced.",
            next_step="Stop what uses this record and try again.",
        )

    def _holders(self) -> str:
        """The processes that hold the lock, where the system tells: ` in process 12, 34`."""
        pids = lock_holders(os.fstat(self._file).st_ino, _LOCKS)
        return f" in process {', '.join(map(str, pids))}" if pids else ""


def lock_holders(inode: int, locks: Path) -> list[int]:
    """The processes with an flock on the file of that number. Empty where there is no /proc/locks."""
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
