"""Connections to the record's file, each set up so that it is durable, checked and runs no code of the file's."""

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
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
)

_STATEMENTS = 256
"""Prepared statements that a connection keeps."""

_DEFENSIVE = 1010
"""SQLITE_DBCONFIG_DEFENSIVE: the schema's own tables cannot be written to. Python sets it from 3.12 on."""


_SET_WAL: Final = "PRAGMA journal_mode = WAL"


def connect(path: Path) -> sqlite3.Connection:
    """An open connection in autocommit mode that any thread may use, one at a time. Raises sqlite3.Error.

    The file must exist. The connection never waits for a lock by itself: the caller repeats with `retry_while_locked`.
    """
    return _connected(f"{path.absolute().as_uri()}?mode=rw", _PRAGMAS)


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing in the file, not even when it is closed. Raises sqlite3.Error."""
    return _connected(f"{path.absolute().as_uri()}?mode=ro", _SAFETY)


def connect_at_rest(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody writes to, such as a backup. It makes no files beside it."""
    return _connected(f"{path.absolute().as_uri()}?mode=ro&immutable=1", _SAFETY)


def use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Have a file keep its commits in a write-ahead log from now on. Nobody else has the file open."""
    if connection.execute(_SET_WAL).fetchone() != ("wal",):
        raise StoreUnavailableError(
            f"{path.parent} lies on a file system that SQLite's write-ahead log cannot use.",
            next_step="Keep the project in a local folder, or use PostgreSQL: set [store] address.",
        )


def _connected(uri: str, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS
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
