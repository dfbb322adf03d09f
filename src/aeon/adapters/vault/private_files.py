"""Files that are their owner's alone: checked before they are opened, and put in place whole or not at all."""

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
    """Raises VaultError unless `path` is a plain file that only this user may read, naming the command that helps."""
    if not stat.S_ISREG(status.st_mode):
        raise VaultError(f"{path} is not a plain file.", next_step="Give the path of a file.")
    if status.st_uid != os.geteuid():
        raise VaultError(f"{path} belongs to another user.", next_step=f"Run: chown {os.geteuid()} {quote(str(path))}")
    if status.st_mode & _OTHERS:
        raise VaultError(f"Others may read or change {path}.", next_step=f"Run: chmod 600 {quote(str(path))}")


def exists(path: Path) -> bool:
    """Whether anything is at `path`, be it a link to nothing."""
    return os.path.lexists(path)


def private_folder(folder: Path) -> Path:
    """The folder, made (0700) if there is none. Raises VaultError when others may write into it."""
    make_folder(folder, 0o700)
    check_folder(folder)
    return folder


def check_folder(folder: Path) -> None:
    """Raises VaultError when others could put files of theirs into it, such as a journal beside the vault."""
    if folder.stat().st_mode & _OTHERS_WRITE:
        raise VaultError(f"Others may write into {folder}.", next_step=f"Run: chmod 700 {quote(str(folder))}")


def create_file(path: Path, fill: Callable[[Path], None]) -> bool:
    """Put a file (0600) at `path`, whole and on the disk, unless there is one; whether it was put.

    `fill` writes to the path that it is given, in the same folder. Of several processes at once one succeeds.
    """
    with _draft(path, fill) as draft:
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
    return True


def replace_file(path: Path, fill: Callable[[Path], None]) -> None:
    """Put a file (0600) at `path` in the place of what is there: readers see the old one or the new one, whole."""
    with _draft(path, fill) as draft:
        draft.replace(path)


@contextmanager
def locked_folder(folder: Path) -> Generator[None]:
    """Keep out every process that asks the same of this folder."""
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
