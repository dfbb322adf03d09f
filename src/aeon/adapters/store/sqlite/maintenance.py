"""Backs up a record while it is in use, restores it, checks it, and adopts foreign ones."""

import os
import shutil
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from aeon.adapters.store.sqlite.connection import connect, connect_read_only, use_wal
from aeon.adapters.store.sqlite.errors import as_store_errors
from aeon.adapters.store.sqlite.factory import exclusive_access, finish_restoring, open_sqlite
from aeon.adapters.store.sqlite.file_copies import copy_record, new_file, publish, remove_file
from aeon.adapters.store.sqlite.integrity import integrity_problems, require_whole
from aeon.adapters.store.sqlite.ownership import take_ownership
from aeon.adapters.store.sqlite.record_files import RecordFiles, as_store_os_errors
from aeon.adapters.store.sqlite.record_lock import RecordLock
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, OTHER_VERSION_ADVICE, SchemaVersions, identify
from aeon.base.next_steps import NextStep
from aeon.platform.store import DamagedStoreError, StoreUnavailableError

_USE_ANOTHER_BACKUP: Final = NextStep("store.choose_backup")
_CARRY_BACKUP_OVER: Final = NextStep("store.carry_backup_over")


def backup(path: Path, target: Path, *, state: Path) -> None:
    """Writes a backup of the record in `path`, which may be in use, to the new file `target`.

    The backup is one file, which is checked and synced before it gets its name. Raises StoreError.
    """
    target = target.absolute()
    if os.path.lexists(target):
        raise StoreUnavailableError(f"{target} already exists.", next_step="Name a new file for the backup.")
    with closing(open_sqlite(path, state=state)) as store:
        copy_record(store.path, target)


def restore(path: Path, source: Path, *, state: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> Path | None:
    """Replaces the record `path` with a copy of the backup `source`.

    Returns the new path of the old file, if any. The copy is checked before anything changes. No process may have the
    record open. Raises StoreError.
    """
    with exclusive_access(path) as files:
        try:
            _stage(files, source.absolute(), state, versions)
        finally:
            remove_file(files.draft)
        return finish_restoring(files)


def _stage(files: RecordFiles, source: Path, state: Path, versions: SchemaVersions) -> None:
    """Copies a backup beside the record, checks it, and publishes it as the restored file."""
    _copy(source, files.draft)
    with _advise_another_backup(), as_store_errors(source), closing(connect(files.draft)) as connection:
        identity = identify(connection, source, versions)
        require_whole(connection, source)
        take_ownership(connection, identity.record, state, files.path)
        use_wal(connection, files.path)
    publish(files.draft, files.restored)


@contextmanager
def _advise_another_backup() -> Generator[None]:
    """Changes the advice of DamagedStoreError: the user is already restoring a backup, which may be another Aeon's."""
    try:
        yield
    except DamagedStoreError as error:
        is_of_other_version = error.next == OTHER_VERSION_ADVICE
        advice = _CARRY_BACKUP_OVER if is_of_other_version else _USE_ANOTHER_BACKUP
        raise DamagedStoreError(error.message, next_step=advice) from error


def _copy(source: Path, draft: Path) -> None:
    """Copies a file that no process writes to, with commits that are only in its -wal file."""
    if not source.is_file():
        raise StoreUnavailableError(f"{source} is not a file, or does not exist.", next_step=_USE_ANOTHER_BACKUP)
    if Path(f"{source}-journal").exists():
        raise StoreUnavailableError(
            f"{source} was copied during a write: {source.name}-journal is beside it.",
            next_step=_USE_ANOTHER_BACKUP,
        )
    with as_store_os_errors(source):
        remove_file(draft)
        for ending in ("", "-wal"):
            if not ending or Path(f"{source}{ending}").exists():
                new_file(Path(f"{draft}{ending}"))
                shutil.copyfile(f"{source}{ending}", f"{draft}{ending}")


def check_record(path: Path, *, versions: SchemaVersions = KNOWN_VERSIONS) -> list[str]:
    """Returns descriptions of all faults of the record in `path`, which may be in use.

    Raises StoreError if the record cannot be checked.
    """
    files = RecordFiles(path.absolute())
    files.require()
    files.check_folder()
    files.check_files()
    lock = RecordLock(files)
    try:
        lock.acquire()
        with as_store_errors(files.path), closing(connect_read_only(files.path)) as connection:
            identify(connection, files.path, versions)
            return list(integrity_problems(connection, files.path))
    except DamagedStoreError as error:
        return [error.message]
    finally:
        lock.release()


def adopt_record(path: Path, *, state: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> bool:
    """Adopts a record from elsewhere after checking all of it.

    Returns False for the user's own record. Its tables must be Aeon's, and its file intact. It then belongs to this
    user, with a new id. Raises StoreError.
    """
    RecordFiles(path.absolute()).require()
    with exclusive_access(path) as files, as_store_errors(files.path):
        files.check_files()
        with closing(connect_read_only(files.path)) as connection:
            identity = identify(connection, files.path, versions)
            require_whole(connection, files.path)
        with closing(connect(files.path)) as connection:
            return take_ownership(connection, identity.record, state, files.path)
