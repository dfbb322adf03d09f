"""Opens a record after checking it; creates or migrates it if needed."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from aeon.adapters.store.sqlite.connection import connect, connect_at_rest, connect_read_only, use_wal
from aeon.adapters.store.sqlite.errors import as_store_errors
from aeon.adapters.store.sqlite.file_copies import copy_record, new_file, publish, remove_file
from aeon.adapters.store.sqlite.integrity import require_sound
from aeon.adapters.store.sqlite.migrator import create_tables, migrate
from aeon.adapters.store.sqlite.ownership import new_record_id, require_mark, set_record_id, write_mark
from aeon.adapters.store.sqlite.record_files import RecordFiles, as_store_os_errors, sync_folder
from aeon.adapters.store.sqlite.record_lock import RecordLock
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, RecordIdentity, SchemaVersions, identify
from aeon.adapters.store.sqlite.store import SqliteStore
from aeon.base.sqlite_locks import retry_while_locked
from aeon.platform.store import DamagedStoreError

_SET_APPLICATION_ID: Final = "PRAGMA application_id = 0x41656F6E"


def open_sqlite(path: Path, *, state: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> SqliteStore:
    """Opens the record in the file `path`, or creates it. Several processes may have it open.

    `state` is this user's own folder outside the project, which lists the user's records (platform 21). A record of an
    older version is migrated, with a backup beside it. Raises StoreError; the file is then not changed.
    """
    files = RecordFiles(path.absolute())
    files.prepare_folder()
    lock = RecordLock(files)
    try:
        with as_store_errors(files.path), as_store_os_errors(files.folder):
            _prepare(files, lock, state, versions)
            lock.share()
    except BaseException:
        lock.release()
        raise
    return SqliteStore(files.path, lock)


def open_plain_file(path: Path, *, is_durable: bool = True) -> SqliteStore:
    """Opens a SQLite file that is not a record, or creates it. Several processes may do so at once.

    With `is_durable` false, a power cut may lose the last commits. Raises StoreError.
    """
    with as_store_os_errors(path):
        path.touch(mode=0o600)
    with as_store_errors(path), closing(connect(path)) as connection:
        retry_while_locked(lambda: use_wal(connection, path))
    return SqliteStore(path, is_durable=is_durable)


def old_graph_folder(path: Path) -> Path | None:
    """Returns the folder of an older Aeon's record in FalkorDB, if `path` does not exist.

    Export it with that version (`aeon graph export FILE`), then run `aeon store import FILE` here.
    """
    folder = path.parent / "graph"
    return folder if folder.is_dir() and not path.exists() else None


@contextmanager
def exclusive_access(path: Path) -> Generator[RecordFiles]:
    """Yields a record's files with exclusive access.

    Raises StoreUnavailableError that names other users of it.
    """
    files = RecordFiles(path.absolute())
    files.prepare_folder()
    lock = RecordLock(files)
    try:
        lock.acquire_exclusive()
        with as_store_os_errors(files.folder):
            finish_restoring(files)
            yield files
    finally:
        lock.release()


def finish_restoring(files: RecordFiles) -> Path | None:
    """Moves a waiting restored file to the record's path.

    Returns the new path of the old record, if there was one. The caller holds the lock exclusively. After a crash, the
    next opening of the record completes the restore.
    """
    if not files.restored.exists():
        return None
    has_old, replaced = files.exists(), files.replaced()
    for ending in ("-wal", "-journal", ""):
        old = files.beside(ending)
        if old.exists():
            old.replace(f"{replaced}{ending}")
    files.shm.unlink(missing_ok=True)
    files.restored.replace(files.path)
    sync_folder(files.folder)
    return replaced if has_old else None


def inspect_record(files: RecordFiles, state: Path, versions: SchemaVersions, *, is_alone: bool) -> RecordIdentity:
    """Returns the identity of a record after checking its owner and, if left open, its file.

    Changes nothing. `is_alone` means that the caller holds the lock exclusively. Raises StoreError.
    """
    files.check_files()
    was_left_open = is_alone and files.was_not_closed()
    is_at_rest = is_alone and not was_left_open
    with closing((connect_at_rest if is_at_rest else connect_read_only)(files.path)) as connection:
        identity = identify(connection, files.path, versions)
        require_mark(files.path, identity.record, state)
        if was_left_open:
            require_sound(connection, files.path)
    return identity


def _prepare(files: RecordFiles, lock: RecordLock, state: Path, versions: SchemaVersions) -> None:
    """Creates, repairs or migrates the record, so that it is valid and current.

    Returns with `lock` held.
    """
    is_alone = lock.acquire()
    if not is_alone and not files.exists():
        lock.acquire_exclusive()
        is_alone = True
    if is_alone:
        finish_restoring(files)
        if not files.exists():
            _create(files, state, versions)
    if inspect_record(files, state, versions, is_alone=is_alone).version == versions.latest:
        return
    if not is_alone:
        lock.acquire_exclusive()
    _migrate(files, inspect_record(files, state, versions, is_alone=True).version, versions)


def _create(files: RecordFiles, state: Path, versions: SchemaVersions) -> None:
    if files.wal.exists():
        raise DamagedStoreError(
            f"{files.path} is missing, but its {files.wal.name} exists, with the last commits.",
            next_step=f"Restore {files.path.name}. If it is lost, restore a backup or move {files.wal} away.",
        )
    record = new_record_id()
    new_file(files.draft)
    try:
        with closing(connect(files.draft)) as connection:
            connection.execute(_SET_APPLICATION_ID)
            create_tables(connection, files.path, versions)
            set_record_id(connection, record)
            use_wal(connection, files.path)
        write_mark(record, state, files.path)
        publish(files.draft, files.path)
    finally:
        remove_file(files.draft)


def _migrate(files: RecordFiles, version: int, versions: SchemaVersions) -> None:
    """Migrates a record after a backup, unless another process did.

    The caller holds the lock exclusively.
    """
    if version == versions.latest:
        return
    copy_record(files.path, files.backup_before(version + 1))
    with closing(connect(files.path)) as connection:
        migrate(connection, files.path, version, versions)
