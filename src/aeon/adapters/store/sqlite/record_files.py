"""The files of a record, which only this user may access (platform 21)."""

import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote

from aeon.base.next_steps import NextStep
from aeon.base.project_folder import is_unused_folder, make_folder
from aeon.platform.store import DamagedStoreError, StoreFullError, StoreUnavailableError

# fmt: off
_REMOTE = frozenset({
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "9p", "afs", "beegfs", "ceph", "coda", "davfs", "drvfs",
    "glusterfs", "gpfs", "lustre", "ncpfs", "vboxsf",
})
_REMOTE_IN_USER_SPACE = frozenset({
    "ceph", "ceph-fuse", "curlftpfs", "davfs", "davfs2", "gcsfuse", "glusterfs", "goofys", "gvfsd-fuse", "rclone",
    "s3fs", "smbnetfs", "sshfs",
})
# fmt: on

_DEVICE, _MOUNT_POINT = 2, 4
"""Fields of a line in mountinfo, numbered from 0 (proc(5) numbers them from 1)."""


def remote_file_system(device: str, mountinfo: str) -> str | None:
    """Returns the type of the file system on a device (`8:1`) if it is remote, else None.

    `mountinfo` is the text of /proc/self/mountinfo.
    """
    for line in mountinfo.splitlines():
        mount, _, source = line.partition(" - ")
        if mount.split()[_DEVICE : _DEVICE + 1] == [device] and _is_remote(kind := source.partition(" ")[0]):
            return kind
    return None


def is_mounted_alone(path: Path, mountinfo: str) -> bool:
    """Returns whether a file is its own mount, as in containers.

    SQLite's files beside it are then elsewhere.
    """
    name = str(path).replace(" ", r"\040")
    return any(line.split()[_MOUNT_POINT : _MOUNT_POINT + 1] == [name] for line in mountinfo.splitlines())


def _is_remote(kind: str) -> bool:
    if kind.startswith("fuse."):
        return kind.removeprefix("fuse.") in _REMOTE_IN_USER_SPACE
    return kind in _REMOTE


_MOUNTS = Path("/proc/self/mountinfo")

_OTHERS = 0o077
_OTHERS_WRITE = 0o022

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})

FOREIGN_FILE_ADVICE = NextStep("store.move_or_restore")


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """The files of one record. All are in its folder, and have its file's name with a suffix."""

    path: Path

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def wal(self) -> Path:
        """Commits that are not in the file yet.

        SQLite removes it when the last process closes the record.
        """
        return self.beside("-wal")

    @property
    def shm(self) -> Path:
        """The shared memory of the processes that have the record open."""
        return self.beside("-shm")

    @property
    def journal(self) -> Path:
        """A rollback journal.

        Aeon's records have none, and a foreign one could change or delete files.
        """
        return self.beside("-journal")

    @property
    def lock(self) -> Path:
        """The lock file of every process that has the record open."""
        return self.beside(".lock")

    @property
    def draft(self) -> Path:
        """A file under construction; only the process that holds the exclusive lock has one."""
        return self.beside(".draft")

    @property
    def restored(self) -> Path:
        """A complete and checked file that is about to replace the record."""
        return self.beside(".restored")

    def replaced(self) -> Path:
        """Returns the new path of the replaced record, named by the restored file's time.

        Later restores therefore use other paths, and an interrupted one continues with the same path.
        """
        made = datetime.fromtimestamp(self.restored.stat().st_mtime, UTC)
        return self.beside(f".replaced-{made:%Y%m%dT%H%M%S.%f}Z")

    def backup_before(self, version: int) -> Path:
        """Returns the path of the backup before the migration to a version."""
        return self.beside(f".before-{version:04}.bak")

    def beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def exists(self) -> bool:
        """Returns whether anything exists at the record's path, including a dangling link."""
        return os.path.lexists(self.path)

    def require(self) -> None:
        """Raises StoreUnavailableError if nothing exists at the record's path."""
        if not self.exists():
            raise StoreUnavailableError(f"There is no record at {self.path}.", next_step="Check the project's folder.")

    def was_not_closed(self) -> bool:
        """Returns whether the last process ended without closing the record.

        Requires the exclusive lock.
        """
        with suppress(FileNotFoundError):
            return self.wal.stat().st_size > 0
        return False

    def prepare_folder(self) -> None:
        """Creates the folder (0700) if missing, and checks it. Raises StoreUnavailableError."""
        with as_store_os_errors(self.folder):
            if os.path.lexists(self.folder):
                self.check_folder()
            if not self.folder.exists() or is_unused_folder(self.folder):
                make_folder(self.folder, 0o700)
            self.check_folder()

    def check_folder(self) -> None:
        """Raises StoreUnavailableError unless the folder is local and only this user's."""
        status = self.folder.lstat()
        _check_kind(self.folder, status, stat.S_ISDIR, "folder")
        _check_owner(self.folder, status, _OTHERS_WRITE, "700")
        self._check_mounts(status)
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise StoreUnavailableError(
                f"{self.folder} cannot be written to, which SQLite needs even to read.",
                next_step="Make the folder and its file system writable.",
            )

    def check_files(self) -> None:
        """Raises StoreError unless the record's files are plain files of this user.

        It opens no file.
        """
        self.require()
        if os.path.lexists(self.journal):
            raise DamagedStoreError(
                f"{self.journal} does not come from Aeon, and SQLite would apply it to {self.path}.",
                next_step=FOREIGN_FILE_ADVICE,
            )
        for path in (self.path, self.wal, self.shm):
            with as_store_os_errors(path), suppress(FileNotFoundError):
                check_file(path, path.lstat())
        if not self.path.stat().st_size:
            raise DamagedStoreError(f"{self.path} is an empty file, not a record.", next_step=FOREIGN_FILE_ADVICE)
        if not os.access(self.path, os.R_OK | os.W_OK):
            raise StoreUnavailableError(
                f"{self.path} may not be written to.", next_step=f"Run: chmod 600 {quote(str(self.path))}"
            )

    def _check_mounts(self, status: os.stat_result) -> None:
        try:
            mountinfo = _MOUNTS.read_text("utf-8", "replace")
        except OSError:
            return  # not Linux
        device = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
        if kind := remote_file_system(device, mountinfo):
            raise StoreUnavailableError(
                f"{self.folder} is on a network file system ({kind}), where SQLite's locks are not safe.",
                next_step="Keep the project in a local folder, or use PostgreSQL: set [store] address.",
            )
        if is_mounted_alone(self.path, mountinfo):
            raise StoreUnavailableError(
                f"{self.path} is mounted on its own, so that its -wal file is elsewhere.",
                next_step=f"Mount its folder {self.folder} instead.",
            )


def check_file(path: Path, status: os.stat_result) -> None:
    """Raises StoreUnavailableError unless `path` is this user's plain file with one name."""
    _check_kind(path, status, stat.S_ISREG, "plain file")
    _check_owner(path, status, _OTHERS, "600")
    if status.st_nlink != 1:
        raise StoreUnavailableError(
            f"{path} has {status.st_nlink} names (hard links), so something else may write to it.",
            next_step="Find out where it came from. Replace it with a copy that has one name: "
            f"cp {quote(str(path))} {quote(f'{path}.copy')} && mv {quote(f'{path}.copy')} {quote(str(path))}",
        )


@contextmanager
def as_store_os_errors(path: Path) -> Generator[None]:
    """Raises errors of the operating system as a StoreError that names the path."""
    try:
        yield
    except OSError as error:
        kind = StoreFullError if error.errno in _FULL else StoreUnavailableError
        advice = "" if error.errno in _FULL else "Check its owner, its mode and the free space."
        message = f"{error.filename2 or error.filename or path} cannot be used: {error.strerror}."
        raise kind(message, next_step=advice) from error


def sync_folder(folder: Path) -> None:
    """Syncs a folder's entries to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_kind(path: Path, status: os.stat_result, is_expected: Callable[[int], bool], kind: str) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise StoreUnavailableError(
            f"{path} is a symbolic link. A record is opened only at its own path.",
            next_step=f"Check its target: ls -l {quote(str(path))}. Then move the {kind} itself there.",
        )
    if not is_expected(status.st_mode):
        raise StoreUnavailableError(
            f"{path} is not a {kind}.", next_step=f"Check what it is, and move it away: ls -ld {quote(str(path))}"
        )


def _check_owner(path: Path, status: os.stat_result, refused: int, mode: str) -> None:
    if status.st_uid != os.geteuid():
        raise StoreUnavailableError(
            f"{path} belongs to another user.",
            next_step=f"If you trust its content, run: sudo chown {os.geteuid()} {quote(str(path))}",
        )
    if status.st_mode & refused:
        raise StoreUnavailableError(
            f"Other users may {'write to' if refused == _OTHERS_WRITE else 'read or write to'} {path}.",
            next_step=f"Run: chmod {mode} {quote(str(path))}",
        )
