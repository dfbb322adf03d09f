"""Connections to the record's file: durable, checked, and safe from code in it."""

import sqlite3
from pathlib import Path
from typing import Final

from aeon.base.sqlite_locks import retry_while_locked
from aeon.platform.store import StoreUnavailableError

_SAFETY = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)

_PRAGMAS = (
    *_SAFETY,
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",  # else INSERT OR REPLACE deletes rows without their triggers
    "PRAGMA temp_store = MEMORY",
)

_SYNC_COMMITS = "PRAGMA synchronous = FULL"
_SYNC_CHECKPOINTS = "PRAGMA synchronous = NORMAL"

_CACHED_STATEMENTS = 256
"""The number of prepared statements that a connection caches."""

_DEFENSIVE = 1010
"""SQLITE_DBCONFIG_DEFENSIVE: the schema's own tables are not writable. Python can set it from 3.12 on."""


_SET_WAL: Final = "PRAGMA journal_mode = WAL"


def connect(path: Path, *, is_durable: bool = True) -> sqlite3.Connection:
    """Opens a connection in autocommit mode, usable by one thread at a time.

    Raises sqlite3.Error. The file must exist. The connection never waits for a lock: the caller retries with
    `retry_while_locked`. With `is_durable` false, a power cut may lose the last commits, and nothing else.
    """
    sync = _SYNC_COMMITS if is_durable else _SYNC_CHECKPOINTS
    return _open(f"{path.absolute().as_uri()}?mode=rw", (*_PRAGMAS, sync))


def connect_in_memory(content: bytes | None) -> sqlite3.Connection:
    """Opens a connection to a database of its own in memory: a copy of this one, or an empty one."""
    connection = _open("file::memory:", _PRAGMAS)
    if content is not None:
        connection.deserialize(content)
    return connection


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Opens a connection that does not change the file, even when it is closed.

    Raises sqlite3.Error.
    """
    return _open(f"{path.absolute().as_uri()}?mode=ro", _SAFETY)


def connect_at_rest(path: Path) -> sqlite3.Connection:
    """Opens a connection to a file that nobody writes to, such as a backup.

    It creates no files beside it.
    """
    return _open(f"{path.absolute().as_uri()}?mode=ro&immutable=1", _SAFETY)


def use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switches a file to a write-ahead log. No other process may have the file open."""
    if connection.execute(_SET_WAL).fetchone() != ("wal",):
        raise StoreUnavailableError(
            f"{path.parent} is on a file system that does not support SQLite's write-ahead log.",
            next_step="Keep the project in a local folder, or use PostgreSQL: set [store] address.",
        )


def _open(uri: str, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=_CACHED_STATEMENTS
    )
    try:
        if set_config := getattr(connection, "setconfig", None):
            set_config(_DEFENSIVE, True)
        for pragma in pragmas:
            retry_while_locked(lambda pragma=pragma: connection.execute(pragma))
    except BaseException:
        connection.close()
        raise
    return connection
