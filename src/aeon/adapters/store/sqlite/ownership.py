"""The mark outside a record's folder, which proves that this user created or adopted it.

A record that came with a folder from elsewhere has no mark, and is not used (platform 21).
"""

import os
import re
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Final

from aeon.adapters.store.sqlite.record_files import as_store_os_errors, sync_folder
from aeon.base.next_steps import NextStep
from aeon.platform.store import DamagedStoreError, StoreUnavailableError

_RECORD = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_OTHERS_WRITE = 0o022

_FORGET_RECORD_ID: Final = "DELETE FROM meta WHERE key = 'record'"
_SET_RECORD_ID: Final = "INSERT INTO meta (key, value) VALUES ('record', :record)"

_TRIGGERS: Final = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'meta'"


def new_record_id() -> str:
    """Returns a random id, which nobody can guess without having seen the record."""
    from uuid import uuid4

    return str(uuid4())


def require_mark(path: Path, record: str, state: Path) -> None:
    """Raises DamagedStoreError unless the record with that id has a mark."""
    if not is_marked(record, state):
        raise DamagedStoreError(
            f"{path} is not one of this user's records on this machine, which {state / 'records'} lists: "
            "it came with a folder from elsewhere. It was not used.",
            next_step=NextStep("folder.adopt_record", move=f"mv {quote(str(path))} {quote(f'{path}.foreign')}"),
        )


def is_marked(record: str, state: Path) -> bool:
    """Returns whether the record with that id has a mark.

    Raises StoreUnavailableError for an unsafe folder.
    """
    if not _RECORD.fullmatch(record):
        return False
    with as_store_os_errors(state), suppress(FileNotFoundError):
        _check_folder(state / "records")
        return _is_own_file((state / "records" / record).lstat())
    return False


def write_mark(record: str, state: Path, path: Path) -> None:
    """Writes the mark of the record with that id.

    It contains the record's path, for people who clean up. `state` is this user's own folder for such files; it is
    created (0700) if missing.
    """
    folder = state / "records"
    with as_store_os_errors(folder):
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _check_folder(folder)
        descriptor = os.open(folder / record, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, os.fsencode(path) + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        sync_folder(folder)


def take_ownership(connection: sqlite3.Connection, record: str, state: Path, path: Path) -> bool:
    """Gives a checked record to this user, with a new id.

    Returns False if it already was theirs. Its previous owner knows the old id, and could send another record with that
    id.
    """
    if is_marked(record, state):
        return False
    record = new_record_id()
    write_mark(record, state, path)
    set_record_id(connection, record)
    return True


def set_record_id(connection: sqlite3.Connection, record: str) -> None:
    """Sets a record's id, atomically. The triggers that keep it are made again as they were."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        triggers = connection.execute(_TRIGGERS).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")  # of a schema that was checked
        connection.execute(_FORGET_RECORD_ID)
        connection.execute(_SET_RECORD_ID, {"record": record})
        for _, text in triggers:
            connection.execute(text)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            with suppress(sqlite3.Error):  # the original error is more useful
                connection.execute("ROLLBACK")


def _check_folder(folder: Path) -> None:
    for each in (folder.parent, folder):
        status = each.stat()
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE:
            raise StoreUnavailableError(
                f"Other users may write to {each}, where Aeon lists this user's records.",
                next_step=f"Find out who changed it, then run: chmod 700 {quote(str(each))}",
            )


def _is_own_file(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
