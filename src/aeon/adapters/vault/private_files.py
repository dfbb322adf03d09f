"""Files that only their owner may read, checked and written atomically."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from aeon.base.project_folder import make_folder
from aeon.platform.vault import VaultError

_OTHERS = 0o077
_OTHERS_WRITE = 0o022


def check_private(path: Path, status: os.stat_result) -> None:
    """Raises VaultError with a fixing command unless `path` is this user's private file."""
    if not stat.S_ISREG(status.st_mode):
        raise VaultError(f"{path} is not a plain file.", next_step="Give the path of a file.")
    if status.st_uid != os.geteuid():
        raise VaultError(f"{path} belongs to another user.", next_step=f"Run: chown {os.geteuid()} {quote(str(path))}")
    if status.st_mode & _OTHERS:
        raise VaultError(f"Others may read or change {path}.", next_step=f"Run: chmod 600 {quote(str(path))}")


def exists(path: Path) -> bool:
    """Returns whether anything exists at `path`, including a dangling link."""
    return os.path.lexists(path)


def private_folder(folder: Path) -> Path:
    """Returns the folder, created (0700) if missing.

    Raises VaultError if others may write to it.
    """
    make_folder(folder, 0o700)
    check_folder(folder)
    return folder


def check_folder(folder: Path) -> None:
    """Raises VaultError if others could add files to the folder, such as a journal."""
    if folder.stat().st_mode & _OTHERS_WRITE:
        raise VaultError(f"Others may write into {folder}.", next_step=f"Run: chmod 700 {quote(str(folder))}")


def create_file(path: Path, fill: Callable[[Path], None]) -> bool:
    """Creates a complete, synced file (0600) at `path` unless it exists.

    Returns whether it was created. `fill` writes to a given path in the same folder. Of several concurrent processes,
    one succeeds.
    """
    with _draft(path, fill) as draft:
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
    return True


def replace_file(path: Path, fill: Callable[[Path], None]) -> None:
    """Replaces the file at `path` (0600) atomically: readers see all of the old or new file."""
    with _draft(path, fill) as draft:
        draft.replace(path)


@contextmanager
def locked_folder(folder: Path) -> Generator[None]:
    """Locks the folder against other processes that also use this lock."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _draft(path: Path, fill: Callable[[Path], None]) -> Generator[Path]:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    draft = Path(name)
    try:
        fill(draft)
        os.fsync(descriptor)
        yield draft
    finally:
        os.close(descriptor)
        draft.unlink(missing_ok=True)
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
