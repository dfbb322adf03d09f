"""Where a record lies: its file and those beside it, which must be this user's alone (platform 21)."""

import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote

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
"""Fields of a line in mountinfo, as proc(5) numbers them, less one."""


def remote_file_system(device: str, mountinfo: str) -> str | None:
    """The type of the file system on a device (`8:1`) if it lies on another machine, else None.

    `mountinfo` is the text of /proc/self/mountinfo.
    """
    for line in mountinfo.splitlines():
        mount, _, source = line.partition(" - ")
        if mount.split()[_DEVICE : _DEVICE + 1] == [device] and _is_remote(kind := source.partition(" ")[0]):
            return kind
    return None


def is_mounted_alone(path: Path, mountinfo: str) -> bool:
    """Whether a file is a mount of its own, as containers do it: what SQLite puts beside it then lies elsewhere."""
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

FOREIGN_FILE_ADVICE = "Move it away to start anew, or restore a backup with `aeon store restore FILE`."


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """The files of one record. All lie in its folder, and have its file's name with an ending."""

    path: Path

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def wal(self) -> Path:
        """What was committed and is not in the file yet. SQLite removes it when the last process closes the record."""
        return self.beside("-wal")

    @property
    def shm(self) -> Path:
        """Memory that the processes share while they have the record open."""
        return self.beside("-shm")

    @property
    def journal(self) -> Path:
        """A rollback journal. Aeon's records have none, and one from elsewhere could change or delete files."""
        return self.beside("-journal")

    @property
    def lock(self) -> Path:
        """Locked by each process that has the record open."""
        return self.beside(".lock")

    @property
    def draft(self) -> Path:
        """A file that is being made; only the process that holds the lock alone has one."""
        return self.beside(".draft")

    @property
    def restored(self) -> Path:
        """A whole and checked file that is about to be put in the place of the record."""
        return self.beside(".restored")

    def replaced(self) -> Path:
        """Where the record goes that the waiting restored file replaces, named by the time when that was made.

        So what one restoring has put there, a later one leaves alone, and one that was interrupted goes on.
        """
        made = datetime.fromtimestamp(self.restored.stat().st_mtime, UTC)
        return self.beside(f".replaced-{made:%Y%m%dT%H%M%S.%f}Z")

    def backup_before(self, version: int) -> Path:
        """The backup that is made before the migration to a version."""
        return self.beside(f".before-{version:04}.bak")

    def beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def exists(self) -> bool:
        """Whether there is anything at the record's path, also a link to nothing."""
        return os.path.lexists(self.path)

    def require(self) -> None:
        """Raises StoreUnavailableError when there is nothing at the record's path."""
        if not self.exists():
            raise StoreUnavailableError(f"There is no record at {self.path}.", next_step="Look where the project is.")

    def was_not_closed(self) -> bool:
        """Whether the last process that had it open ended without closing it. Asked while holding the lock alone."""
        with suppress(FileNotFoundError):
            return self.wal.stat().st_size > 0
        return False

    def prepare_folder(self) -> None:
        """Make the folder (0700) if there is none, and check it. Raises StoreUnavailableError."""
        with as_store_os_errors(self.folder):
            if os.path.lexists(self.folder):
                self.check_folder()
            if not self.folder.exists() or is_unused_folder(self.folder):
                make_folder(self.folder, 0o700)
            self.check_folder()

    def check_folder(self) -> None:
        """Raises StoreUnavailableError unless the folder is this user's, local, and only they may write into it."""
        found = self.folder.lstat()
        _check_kind(self.folder, found, stat.S_ISDIR, "folder")
        _check_owner(self.folder, found, _OTHERS_WRITE, "700")
        self._check_mounts(found)
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise StoreUnavailableError(
                f"{self.folder} cannot be written to, which SQLite needs even to read.",
                next_step="Make the folder and its file system writable.",
            )

    def check_files(self) -> None:
        """Raises StoreUnavailableError or DamagedStoreError unless the record's files are plain files of this user.

        Nothing is opened for it.
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

    def _check_mounts(self, found: os.stat_result) -> None:
        try:
            mountinfo = _MOUNTS.read_text("utf-8", "replace")
        except OSError:
            return  # not Linux
        device = f"{os.major(found.st_dev)}:{os.minor(found.st_dev)}"
        if kind := remote_file_system(device, mountinfo):
            raise StoreUnavailableError(
                f"{self.folder} lies on a network file system ({kind}), where SQLite's locks are not safe.",
                next_step="Keep the project in a local folder, or use PostgreSQL: set [store] address.",
            )
        if is_mounted_alone(self.path, mountinfo):
            raise StoreUnavailableError(
                f"{self.path} is mounted on its own, so that its -wal file lies elsewhere.",
                next_step=f"Mount its folder {self.folder} instead.",
            )


def check_file(path: Path, found: os.stat_result) -> None:
    """Raises StoreUnavailableError unless `path` is a plain file that is this user's alone and has one name."""
    _check_kind(path, found, stat.S_ISREG, "plain file")
    _check_owner(path, found, _OTHERS, "600")
    if found.st_nlink != 1:
        raise StoreUnavailableError(
            f"{path} has {found.st_nlink} names (hard links), so something else may write to it.",
            next_step="Look where it came from. Keep a copy in its place that has one name: "
            f"cp {quote(str(path))} {quote(f'{path}.copy')} && mv {quote(f'{path}.copy')} {quote(str(path))}",
        )


@contextmanager
def as_store_os_errors(path: Path) -> Generator[None]:
    """Raise what the system says of a path as a StoreError that names it."""
    try:
        yield
    except OSError as error:
        kind = StoreFullError if error.errno in _FULL else StoreUnavailableError
        advice = "" if error.errno in _FULL else "Check its owner, its mode and the free space."
        said = f"{error.filename2 or error.filename or path} cannot be used: {error.strerror}."
        raise kind(said, next_step=advice) from error


def sync_folder(folder: Path) -> None:
    """Have the disk keep which names are in a folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_kind(path: Path, found: os.stat_result, is_right: Callable[[int], bool], kind: str) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise StoreUnavailableError(
            f"{path} is a symbolic link. A record is opened only in its own place.",
            next_step=f"Look where it leads: ls -l {quote(str(path))}. Then put the {kind} itself there.",
        )
    if not is_right(found.st_mode):
        raise StoreUnavailableError(
            f"{path} is not a {kind}.", next_step=f"Look what it is, and move it away: ls -ld {quote(str(path))}"
        )


def _check_owner(path: Path, found: os.stat_result, refused: int, mode: str) -> None:
    if found.st_uid != os.geteuid():
        raise StoreUnavailableError(
            f"{path} belongs to another user.",
            next_step=f"If you trust what is in it, run: sudo chown {os.geteuid()} {quote(str(path))}",
        )
    if found.st_mode & refused:
        raise StoreUnavailableError(
            f"Other users may {'write to' if refused == _OTHERS_WRITE else 'read or write to'} {path}.",
            next_step=f"Run: chmod {mode} {quote(str(path))}",
        )
