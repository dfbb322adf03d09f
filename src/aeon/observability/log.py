"""The log of a run: JSONL, canonical, hash-chained, one whole line a cycle (core 12, FR-037)."""

import fcntl
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from aeon.base.errors import LogError
from aeon.base.json import JsonObject, canonical

FIRST = "0" * 64
"""`prev` of the first entry."""


class RunLog(Protocol):
    """Where the kernel writes its entries."""

    @property
    def entries(self) -> int:
        """How many entries the log has."""
        ...

    def append(self, entry: JsonObject) -> None:
        """Write one entry whole or not at all. Raises LogError."""
        ...


class NoLog:
    """A log that keeps nothing, for runs that want none."""

    entries = 0

    def append(self, entry: JsonObject) -> None:
        """Count, and forget."""
        self.entries += 1


class JsonlLog:
    """A log in a file, kept open, appended by one writer at a time.

    Every entry reaches the operating system in one write before the run goes on, so a killed process loses none;
    `sync=True` also waits for the disk, so that a power cut loses none.
    """

    def __init__(
        self,
        path: Path,
        *,
        prev: str = FIRST,
        entries: int = 0,
        sync: bool = False,
        write: Callable[[int, bytes], int] = os.write,
    ) -> None:
        """Start a new log at `path`, or go on after `entries` entries. Raises LogError when it cannot be written."""
        self.path = path
        self.entries = entries
        self._prev = prev
        self._sync = sync
        self._write = write
        self._file = _open(path, is_new=entries == 0)

    def append(self, entry: JsonObject) -> None:
        """Write one entry. Raises LogError; the file then ends with the entry before."""
        line = canonical({**entry, "prev": self._prev}).encode()
        size = os.fstat(self._file).st_size if self._sync else None
        try:
            written = self._write(self._file, line + b"\n")
            if written <= len(line):
                raise OSError(28, "only part of the entry could be written; the disk may be full")  # noqa: TRY301  # one way out
            if self._sync:
                os.fsync(self._file)
        except OSError as error:
            self._drop_partial(size)
            raise LogError(
                f"The log {self.path} could not be written: {error.strerror}.",
                next_step="Free space or choose another place with --log, then `aeon resume` the log.",
            ) from error
        self._prev = hashlib.sha256(line).hexdigest()
        self.entries += 1

    def close(self) -> None:
        """Give the file back. Safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _drop_partial(self, size: int | None) -> None:
        """Cut what a failed write left of a line."""
        data = self.path.read_bytes()
        os.ftruncate(self._file, data.rfind(b"\n") + 1 if size is None else size)


def _open(path: Path, *, is_new: bool) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | (os.O_CREAT | os.O_EXCL if is_new else 0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, flags, 0o600)
    except FileExistsError:
        raise LogError(
            f"The log {path} exists already.", next_step=f"Choose another path, or go on with it: aeon resume {path}"
        ) from None
    except OSError as error:
        raise LogError(
            f"The log {path} cannot be written: {error.strerror}.", next_step="Choose another place with --log."
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise LogError(f"Another process is writing {path}.", next_step="Wait until it has ended.") from None
    return file
