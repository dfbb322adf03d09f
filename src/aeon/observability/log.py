"""The log of a run: canonical JSONL, hash-chained, one whole line per cycle (core 12, FR-037)."""

import errno
import fcntl
import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from pydantic import ValidationError

from aeon.base.errors import LogError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import make_folder, require_ownership
from aeon.observability.plan_record import restore_plan
from aeon.observability.records import LogEntry

INITIAL_HASH = "0" * 64
"""`prev` of the first entry."""


class LogHistory(NamedTuple):
    """A log that was read and verified.

    `size` counts the bytes of its whole lines; `torn_bytes` those of a last line that was cut off when the run was
    killed. `last_hash` is the hash of the last line: a copy kept elsewhere proves that no line was removed at the end.
    """

    path: Path
    entries: list[JsonObject]
    last_hash: str
    size: int
    torn_bytes: int

    def plan_at(self, step_number: int) -> JsonObject:
        """The whole plan as it was at the start of entry `step_number`."""
        return restore_plan(entry["plan_state"] for entry in self.entries[:step_number])


def read_log(path: Path | str) -> LogHistory:
    """Reads and verifies a log. Raises LogError, which names the first line that was changed.

    Raises ForeignFolderError for a log in a project's folder that came from elsewhere.
    """
    path = Path(path) if isinstance(path, str) else path
    require_ownership(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LogError(f"The log {path} cannot be read: {error.strerror}.", next_step="Check the path.") from error
    size = data.rfind(b"\n") + 1
    entries: list[JsonObject] = []
    prev = INITIAL_HASH
    for number, line in enumerate(data[:size].split(b"\n")[:-1], 1):
        entries.append(_entry(line, number, prev, path))
        prev = hashlib.sha256(line).hexdigest()
    if not entries:
        raise LogError(f"The log {path} has no whole entry.", next_step="Start the run again.")
    return LogHistory(path, entries, prev, size, len(data) - size)


def _entry(line: bytes, number: int, prev: str, path: Path) -> JsonObject:
    try:
        entry = cast(JsonObject, parse_strict(line.decode("ascii")))
        LogEntry.model_validate(entry)
    except (ValueError, ValidationError) as error:
        raise _broken(path, number, f"is not a log entry ({' '.join(str(error).split())[:200]})") from None
    if entry["prev"] != prev:
        raise _broken(path, number, "does not follow the line before it: one of the two was changed")
    if entry["step_number"] != number:
        raise _broken(path, number, f"is numbered as entry {entry['step_number']}")
    return entry


def _broken(path: Path, number: int, what: str) -> LogError:
    return LogError(
        f"The log {path} was changed or damaged: line {number} {what}.",
        next_step="Do not trust the log from that line on; restore it from a copy.",
        line=number,
    )


class RunLog(Protocol):
    """The port to which the kernel writes its entries."""

    @property
    def entries(self) -> int:
        """The number of entries in the log."""
        ...

    def append(self, entry: JsonObject) -> None:
        """Writes one entry whole or not at all. Raises LogError."""
        ...


class ChainedLog:
    """Encodes entries canonically, each with the hash of the previous one, and passes every line to `put`."""

    def __init__(self, put: Callable[[bytes], None], *, prev: str = INITIAL_HASH, entries: int = 0) -> None:
        self.entries = entries
        self._put = put
        self._prev = prev

    def append(self, entry: JsonObject) -> None:
        """Encodes one entry and passes it on, without its newline. Raises LogError if it is not JSON."""
        try:
            line = canonical_json({**entry, "prev": self._prev}).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise LogError(f"The entry {self.entries + 1} is not JSON: {error}.") from error
        self._put(line)
        self._prev = hashlib.sha256(line).hexdigest()
        self.entries += 1


def null_log() -> ChainedLog:
    """A log that keeps nothing, for runs without a log."""
    return ChainedLog(lambda _line: None)


class JsonlLog(ChainedLog):
    """A log in a file, kept open, with one writer at a time.

    Every entry reaches the operating system in one write before the run continues, so a killed process loses none;
    `sync=True` also waits for the disk, so a power cut loses none.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        after: LogHistory | None = None,
        sync: bool = False,
        write: Callable[[int, bytes], int] = os.write,
    ) -> None:
        """Starts a new log at `path`, or continues `after` the history read from it, dropping a torn last line.

        Raises LogError if it cannot be written, exists already, or another process writes it.
        """
        if after is None:
            super().__init__(self._append_line)
        else:
            super().__init__(self._append_line, prev=after.last_hash, entries=len(after.entries))
        self.path = Path(path)
        self._sync = sync
        self._write = write
        self._file = _open(self.path, is_new=after is None)
        self._size = 0 if after is None else self._continue(after)

    def close(self) -> None:
        """Closes the file. Calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _continue(self, after: LogHistory) -> int:
        """Drops the torn last line, now that the file is locked. Raises LogError if the file has changed."""
        if os.fstat(self._file).st_size != after.size + after.torn_bytes:
            self.close()
            raise LogError(
                f"The log {self.path} has changed since it was read.", next_step="Another process continued it."
            )
        os.ftruncate(self._file, after.size)
        return after.size

    def _append_line(self, line: bytes) -> None:
        """Writes one line whole; after a failure the file ends with the previous line."""
        try:
            if self._write(self._file, line + b"\n") <= len(line):
                raise OSError(errno.ENOSPC, "only a part of the entry could be written")  # noqa: TRY301  # handled below like any write error
            if self._sync:
                os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):  # on failure a torn line stays, which the next resume drops
                os.ftruncate(self._file, self._size)
            raise LogError(
                f"The log {self.path} could not be written: {error.strerror}.",
                next_step=NextStep("requests.free_space", log=str(self.path)),
            ) from error
        self._size += len(line) + 1


def _open(path: Path, *, is_new: bool) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | (os.O_CREAT | os.O_EXCL if is_new else 0)
    try:
        if is_new and path.exists():
            raise _exists(path)
        make_folder(path.parent)
        file = os.open(path, flags, 0o600)
    except OSError as error:
        if isinstance(error, FileExistsError) and path.exists():  # made by another process just now
            raise _exists(path) from None
        raise LogError(
            f"The log {path} cannot be written: {error.strerror}.", next_step=NextStep("requests.choose_log")
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise LogError(f"Another process is writing {path}.", next_step="Wait until it has ended.") from None
    return file


def _exists(path: Path) -> LogError:
    return LogError(f"The log {path} exists already.", next_step=NextStep("requests.continue", log=str(path)))
