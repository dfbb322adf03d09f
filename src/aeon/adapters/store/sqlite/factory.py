"""Opening a record: its place, its lock, whether it is ours and whole, its version; or making it."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from aeon.adapters.store.sqlite.connection import connect, connect_at_rest, connect_read_only, use_wal
from aeon.adapters.store.sqlite.errors import as_store_errors
from aeon.adapters.store.sqlite.file_copies import copy_record, new_file, publish, remove_file
from aeon.adapters.store.sqlite.integrity import require_sound
from aeon.adapters.store.sqlite.migrator import migrate
from aeon.adapters.store.sqlite.ownership import new_record_id, require_mark, set_record_id, write_mark
from aeon.adapters.store.sqlite.record_files import RecordFiles, as_store_os_errors, sync_folder
from aeon.adapters.store.sqlite.record_lock import RecordLock
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, RecordIdentity, SchemaVersions, identify
from aeon.adapters.store.sqlite.store import SqliteStore
from aeon.platform.store import DamagedStoreError

_SET_APPLICATION_ID: Final = "PRAGMA application_id = 0x41656F6E"


def open_sqlite(path: Path, *, state: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> SqliteStore:
    """The record in the file `path`, which is made if there is none. Several processes may have it open.

    `state` is this user's own folder outside the project; it keeps which records are theirs (platform 21). A record
    of an older version is migrated, with a backup beside it. Raises StoreError; the file is then as it was.
    """
    place = RecordFiles(path.absolute())
    place.prepare_folder()
    lock = RecordLock(place)
    try:
        with as_store_errors(place.path), as_store_os_errors(place.folder):
            _prepare(place, lock, state, versions)
            lock.share()
    except BaseException:
        lock.release()
        raise
    return SqliteStore(place.path, lock)


def old_graph_folder(path: Path) -> Path | None:
    """The folder in which an older Aeon kept the record in FalkorDB, where there is no file `path` yet.

    Export it with that version (`aeon graph export FILE`), then run `aeon store import FILE` here.
    """
    folder = path.parent / "graph"
    return folder if folder.is_dir() and not path.exists() else None


@contextmanager
def exclusive_access(path: Path) -> Generator[RecordFiles]:
    """A record's place, while nobody else has the record open. Raises StoreUnavailableError that names who has."""
    place = RecordFiles(path.absolute())
    place.prepare_folder()
    lock = RecordLock(place)
    try:
        lock.acquire_exclusive()
        with as_store_os_errors(place.folder):
            finish_restoring(place)
            yield place
    finally:
        lock.release()


def finish_restoring(place: RecordFiles) -> Path | None:
    """Put a restored file in the record's place if one is waiting; where the old record is now, if there was one.

    The caller holds the lock alone. What a crash interrupted is finished when the record is next opened.
    """
    if not place.restored.exists():
        return None
    has_old, replaced = place.exists(), place.replaced()
    for ending in ("-wal", "-journal", ""):
        old = place.beside(ending)
        if old.exists():
            old.replace(f"{replaced}{ending}")
    place.shm.unlink(missing_ok=True)
    place.restored.replace(place.path)
    sync_folder(place.folder)
    return replaced if has_old else None


def inspect_record(place: RecordFiles, state: Path, versions: SchemaVersions, *, is_alone: bool) -> RecordIdentity:
    """The identity of a record that is ours and marked, and whole if it was not closed in the end. Changes nothing.

    `is_alone` says that the caller holds the lock alone. Raises StoreError.
    """
    place.check_files()
    was_left_open = is_alone and place.was_not_closed()
    is_at_rest = is_alone and not was_left_open
    with closing((connect_at_rest if is_at_rest else connect_read_only)(place.path)) as connection:
        identity = identify(connection, place.path, versions)
        require_mark(place.path, identity.record, state)
        if was_left_open:
            require_sound(connection, place.path)
    return identity


def _prepare(place: RecordFiles, lock: RecordLock, state: Path, versions: SchemaVersions) -> None:
    """See to it that there is a record of the latest version, ours and whole. `lock` is held when this returns."""
    is_alone = lock.acquire()
    if not is_alone and not place.exists():
        lock.acquire_exclusive()
        is_alone = True
    if is_alone:
        finish_restoring(place)
        if not place.exists():
            _create(place, state, versions)
    if inspect_record(place, state, versions, is_alone=is_alone).version == versions.latest:
        return
    if not is_alone:
        lock.acquire_exclusive()
    _migrate(place, inspect_record(place, state, versions, is_alone=True).version, versions)


def _create(place: RecordFiles, state: Path, versions: SchemaVersions) -> None:
    if place.wal.exists():
        raise DamagedStoreError(
            f"{place.path} is missing, but its {place.wal.name} is there, with what was committed last.",
            next_step=f"Put {place.path.name} back. If it is lost, restore a backup or move {place.wal} away.",
        )
    record = new_record_id()
    new_file(place.draft)
    try:
        with closing(connect(place.draft)) as connection:
            connection.execute(_SET_APPLICATION_ID)
            migrate(connection, place.path, 0, versions)
            set_record_id(connection, record)
            use_wal(connection, place.path)
        write_mark(record, state, place.path)
        publish(place.draft, place.path)
    finally:
        remove_file(place.draft)


def _migrate(place: RecordFiles, version: int, versions: SchemaVersions) -> None:
    """Migrate a record, after a backup. The caller holds the lock alone, and another process may have been first."""
    if version == versions.latest:
        return
    copy_record(place.path, place.backup_before(version + 1))
    with closing(connect(place.path)) as connection:
        migrate(connection, place.path, version, versions)
