"""Caches the readings of skill folders in memory and on disk.

A reading is valid while the files read are unchanged.
"""

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
from aeon.skills.models import FolderReading

CACHE_FORMAT = 5
"""Increase this number whenever the same files are read differently."""

_SETTLED_NS = 50_000_000
"""Age in nanoseconds from which a file's time distinguishes a later change: file system clocks are coarse."""

FileSignature = tuple[int, int, int, int, int] | None
"""Mode, size, modification and change time in nanoseconds, inode; None for a missing file."""


class CachedReading(NamedTuple):
    """A folder's reading and the signatures of the files it depends on."""

    signatures: dict[str, FileSignature]
    reading: FolderReading


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Returns the cache folder: `$XDG_CACHE_HOME/aeon/skills`, else below ~/.cache.

    Returns None without a home.
    """
    configured, home = Path(environ.get("XDG_CACHE_HOME", "")), Path(environ.get("HOME", ""))
    # The XDG specification says to ignore a relative path.
    base = configured if configured.is_absolute() else home / ".cache"
    return base / "aeon" / "skills" if base.is_absolute() else None


@dataclass
class RootReadings:
    """The readings of one root's folders, from the cache where nothing changed."""

    data_home: Path | None
    known: dict[str, CachedReading]
    used: dict[str, CachedReading] = field(default_factory=dict[str, CachedReading])
    is_changed: bool = False

    def read(self, folder: Path) -> FolderReading:
        """Returns the folder's reading, from the cache if all files it depends on are unchanged."""
        cached = self.known.get(str(folder))
        if cached is None or not _is_current(cached):
            self.is_changed = True
            cached, is_settled = _read(folder, self.data_home)
            if not is_settled:
                return cached.reading
        self.used[str(folder)] = cached
        return cached.reading


class DiscoveryCache:
    """Readings by root. Not thread-safe; processes may share the folder, the last writer wins."""

    def __init__(self, folder: Path | None) -> None:
        """`folder`: where readings are stored on disk; with None they are kept in memory only."""
        self.folder = folder
        self._roots: dict[str, dict[str, CachedReading]] = {}

    @contextmanager
    def open_root(self, root: Path, home: Path | None) -> Generator[RootReadings]:
        """Opens the readings of one root, and stores them if the block succeeds."""
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
        """Returns the readings on disk; empty if the file is missing or damaged."""
        path = self._path(key)
        if path is None:
            return {}
        with suppress(OSError, ValueError, ValidationError, RecursionError):
            return _adapter().validate_json(path.read_bytes())
        return {}

    def _store(self, key: str, readings: dict[str, CachedReading]) -> None:
        """Writes the readings to disk; a failure is ignored."""
        path = self._path(key)
        if path is not None:
            with suppress(ConfigError, ValueError):
                write_private_file(path, _adapter().dump_json(readings))


@cache
def _adapter() -> "TypeAdapter[dict[str, CachedReading]]":
    return TypeAdapter(dict[str, CachedReading])


def _read(folder: Path, home: Path | None) -> tuple[CachedReading, bool]:
    """Reads a folder.

    Returns also whether its files' times are old enough to detect the next change.
    """
    from aeon.skills.discovery.skill_reader import read_skill  # loads YAML, which unchanged folders do not need

    started_at = time.time_ns()
    reading = read_skill(folder, home)
    signatures = {path: file_signature(path) for path in reading.files}
    newest_change = max((signature[2] for signature in signatures.values() if signature), default=0)
    return CachedReading(signatures, reading), newest_change < started_at - _SETTLED_NS


def file_signature(path: str) -> FileSignature:
    """Returns a signature that differs between two states of a file, without opening it."""
    try:
        status = os.stat(path)  # noqa: PTH116  # thousands of paths that are text already
    except (OSError, ValueError):
        return None
    return status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _is_current(cached: CachedReading) -> bool:
    return all(file_signature(path) == known for path, known in cached.signatures.items())
