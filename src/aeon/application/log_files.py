"""The logs of requests and the traces of skills in a folder, by the names of their files alone."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from aeon.base.project_folder import require_ownership

HistoryKind: TypeAlias = Literal["request", "skill", "process"]
"""What ran: a request that the kernel planned, a plan of skills, a Process."""

SUFFIXES: Final[dict[str, HistoryKind]] = {".jsonl": "request", ".json": "skill"}
_NAME = re.compile(r"(?:skills-)?([0-9]{8}-[0-9]{6})-[0-9a-f]+")


class LogFile(NamedTuple):
    """A log or trace: `at` is when the run began (ISO 8601, UTC)."""

    id: str
    kind: HistoryKind
    at: str
    path: Path


def list_log_files(folder: Path) -> Iterator[LogFile]:
    """The logs and traces of a folder, in no order. Raises ForeignFolderError if it came from elsewhere."""
    if not folder.is_dir():
        return
    require_ownership(folder)
    for path in folder.iterdir():
        if (kind := SUFFIXES.get(path.suffix)) is not None and not path.name.startswith("."):
            yield LogFile(path.stem, kind, _began(path), path)


def _began(path: Path) -> str:
    """When a run began, by the name of its file (local time), else by the time of its last change."""
    named = _NAME.fullmatch(path.stem)
    seconds = time.mktime(time.strptime(named[1], "%Y%m%d-%H%M%S")) if named else path.lstat().st_mtime
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")
