"""Backups of a record, taken while it is in use, and putting one in its place."""

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
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, SchemaVersions, identify
from aeon.platform.store import DamagedStoreError, StoreUnavailableError

_USE_ANOTHER_BACKUP: Final = "Use a backup that `aeon store backup` made."


def backup(path: Path, target: Path, *, state: Path) -> None:
    """Write a backup of the record in `path` to the new file `target`, while others may write to the record.

    It is one file, checked and on the disk when it gets its name. Raises StoreError.
    """
    target = target.absolute()
    if os.path.lexists(target):
        raise StoreUnavailableError(f"{target} is there already.", next_step="Name a new file for the backup.")
    with closing(open_sqlite(path, state=state)) as store:
        copy_record(store.path, target)


def restore(path: Path, source: Path, *, state: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> Path | None:
    """Put a copy of the backup `source` in the place of the record `path`; where the old file is now, if there was one.

    The copy is checked before anything is changed. Nothing may have the record open. Raises StoreError.
    """
    with exclusive_access(path) as place:
        try:
            _stage(place, source.absolute(), state, versions)
        finally:
            remove_file(place.draft)
        return finish_restoring(place)


def _stage(place: RecordFiles, source: Path, state: Path, versions: SchemaVersions) -> None:
    """Copy a backup beside the record, check the copy, and leave it ready to be put in place."""
    _copy(source, place.draft)
    with _advising_another_backup(), as_store_errors(source), closing(connect(place.draft)) as connection:
        identity = identify(connection, source, versions)
        require_whole(connection, source)
        take_ownership(connection, identity.record, state, place.path)
        use_wal(connection, place.path)
    publish(place.draft, place.restored)


@contextmanager
def _advising_another_backup() -> Generator[None]:
    """Advise another backup where a file is damaged or is no record: to restore it is what was just tried."""
    try:
        yield
    except DamagedStoreError as error:
        raise DamagedStoreError(error.message, next_step=_USE_ANOTHER_BACKUP) from error


def _copy(source: Path, draft: Path) -> None:
    """Copy a file that is not written to, with what was committed and is only in its -wal file."""
    if not source.is_file():
        raise StoreUnavailableError(f"{source} is not a file, or not there.", next_step=_USE_ANOTHER_BACKUP)
    if Path(f"{source}-journal").exists():
        raise StoreUnavailableError(
            f"{source} was being written when it was copied: {source.name}-journal is beside it.",
            next_step=_USE_ANOTHER_BACKUP,
        )
    with as_store_os_errors(source):
        remove_file(draft)
        for ending in ("", "-wal"):
            if not ending or Path(f"{source}{ending}").exists():
                new_file(Path(f"{draft}{ending}"))
                shutil.copyfile(f"{source}{ending}", f"{draft}{ending}")


def check_record(path: Path, *, versions: SchemaVersions = KNOWN_VERSIONS) -> list[str]:
    """What is wrong with the record in `path`, in words; empty if nothing is. Others may use it meanwhile.

    Raises StoreError when it cannot be looked at.
    """
    place = RecordFiles(path.absolute())
    place.require()
    place.check_folder()
    place.check_files()
    lock = RecordLock(place)
    try:
        lock.acquire()
        with as_store_errors(place.path), closing(connect_read_only(place.path)) as connection:
            identify(connection, place.path, versions)
            return list(integrity_problems(connection, place.path))
    except DamagedStoreError as error:
        return [error.message]
    finally:
        lock.release()


def adopt_record(path: Path, *, state: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> bool:
    """Take over a record that came from elsewhere, after looking through all of it; False for this user's own.

    Its tables must be Aeon's own, and its file whole. From then on it is this user's, under a new id.
    Raises StoreError.
    """
    RecordFiles(path.absolute()).require()
    with exclusive_access(path) as place, as_store_errors(place.path):
        place.check_files()
        with closing(connect_read_only(place.path)) as connection:
            identity = identify(connection, place.path, versions)
            require_whole(connection, place.path)
        with closing(connect(place.path)) as connection:
            return take_ownership(connection, identity.record, state, place.path)
