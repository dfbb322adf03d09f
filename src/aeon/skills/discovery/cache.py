"""What was read before, kept in memory and on disk, good for as long as the files that matter are the same."""

import hashlib
import os
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from aeon import __version__
from aeon.base.errors import ConfigError
from aeon.skills.config.skill_settings import write_private_file
from aeon.skills.discovery.skill_reader import FolderReading, read_skill

CACHE_FORMAT = 3
"""Raised whenever the same files are read differently."""

_SETTLED_NS = 50_000_000
"""Nanoseconds after which a file's time tells a later change from this one; file systems count in steps."""

FileSignature = tuple[int, int, int, int, int] | None
"""Mode, size, modification and change in nanoseconds, inode; None for a file that is not there."""


class CachedReading(NamedTuple):
    """A folder's reading and the signatures of the files that decided it."""

    signatures: dict[str, FileSignature]
    reading: FolderReading


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Where readings are kept: `$XDG_CACHE_HOME/aeon/skills`, else below ~/.cache; None without a home."""
    configured, home = Path(environ.get("XDG_CACHE_HOME", "")), Path(environ.get("HOME", ""))
    # The XDG specification says to ignore a relative path.
    base = configured if configured.is_absolute() else home / ".cache"
    return base / "aeon" / "skills" if base.is_absolute() else None


@dataclass
class RootReadings:
    """The readings of one root's folders: from memory where nothing changed."""

    data_home: Path | None
    known: dict[str, CachedReading]
    used: dict[str, CachedReading] = field(default_factory=dict[str, CachedReading])
    is_changed: bool = False

    def read(self, folder: Path) -> FolderReading:
        """The folder's reading, from before if every file that decided it is the same."""
        remembered = self.known.get(str(folder))
        if remembered is None or not _is_current(remembered):
            self.is_changed = True
            remembered, is_settled = _read(folder, self.data_home)
            if not is_settled:
                return remembered.reading
        self.used[str(folder)] = remembered
        return remembered.reading


class DiscoveryCache:
    """Readings by root. Not for two threads at once; two processes may share the folder, the last writer's counts."""

    def __init__(self, folder: Path | None) -> None:
        """Kept in `folder` on disk, or with None in memory only."""
        self.folder = folder
        self._roots: dict[str, dict[str, CachedReading]] = {}

    @contextmanager
    def open_root(self, root: Path, home: Path | None) -> Generator[RootReadings]:
        """The readings of one root, kept for the next time when the block ends well."""
        key = f"{CACHE_FORMAT}\n{__version__}\n{root.absolute()}\n{home}"
        known = self._roots.get(key)
        readings = RootReadings(home, self._load(key) if known is None else known)
        yield readings
        self._roots[key] = readings.used
        if readings.is_changed or len(readings.used) != len(readings.known):
            self._store(key, readings.used)

    def _path(self, key: str) -> Path | None:
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json" if self.folder else None

    def _load(self, key: str) -> dict[str, CachedReading]:
        """What is on disk; nothing when it is not there or not as it was written."""
        path = self._path(key)
        if path is None:
            return {}
        with suppress(OSError, ValueError, ValidationError, RecursionError):
            return _adapter().validate_json(path.read_bytes())
        return {}

    def _store(self, key: str, readings: dict[str, CachedReading]) -> None:
        """A cache that cannot be written is no reason to stop."""
        path = self._path(key)
        if path is not None:
            with suppress(ConfigError, ValueError):
                write_private_file(path, _adapter().dump_json(readings))


@cache
def _adapter() -> "TypeAdapter[dict[str, CachedReading]]":
    return TypeAdapter(dict[str, CachedReading])


def _read(folder: Path, home: Path | None) -> tuple[CachedReading, bool]:
    """A fresh reading, and whether its files' times are old enough to tell the next change by."""
    begin = time.time_ns()
    reading = read_skill(folder, home)
    signatures = {path: file_signature(path) for path in reading.files}
    newest = max((found[2] for found in signatures.values() if found), default=0)
    return CachedReading(signatures, reading), newest < begin - _SETTLED_NS


def file_signature(path: str) -> FileSignature:
    """What tells one state of a file from another, without opening it."""
    try:
        status = os.stat(path)  # noqa: PTH116  # thousands of paths that are text already
    except (OSError, ValueError):
        return None
    return status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _is_current(remembered: CachedReading) -> bool:
    return all(file_signature(path) == known for path, known in remembered.signatures.items())
