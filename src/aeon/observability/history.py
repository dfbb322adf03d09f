"""Reading a log back: whole lines only, the chain checked, every entry's plan restored (core 12, core 13)."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from aeon.base.errors import LogError
from aeon.base.json import JsonObject, parse_strict
from aeon.base.project_folder import require_ownership
from aeon.observability.plan_record import restore_plan
from aeon.observability.records import LogEntry

INITIAL_HASH = "0" * 64
"""`prev` of the first entry."""


@dataclass(frozen=True, slots=True)
class LogHistory:
    """A log that has been read and verified.

    `size` counts the bytes of its whole lines; `torn` those of a last line that was cut off when the run was killed.
    `head` is the hash of the last line: kept elsewhere, it also proves that no line was cut from the end.
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
    """Read and verify a log. Raises LogError that names the first line which is not what was written.

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
        raise _broken(path, number, f"is no log entry ({' '.join(str(error).split())[:200]})") from None
    if entry["prev"] != prev:
        raise _broken(path, number, "does not follow the line before it: one of the two was changed")
    if entry["step_number"] != number:
        raise _broken(path, number, f"says it is entry {entry['step_number']}")
    return entry


def _broken(path: Path, number: int, what: str) -> LogError:
    return LogError(
        f"The log {path} was changed or damaged: line {number} {what}.",
        next_step="Do not trust it from that line on; restore it from a copy.",
        line=number,
    )
