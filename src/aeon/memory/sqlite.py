"""Memory in a SQLite file, kept between runs and safe for several processes."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from aeon.base.errors import MemoryStoreError
from aeon.base.project_folder import make_folder, require_ownership
from aeon.base.sqlite_locks import retry_while_locked
from aeon.memory.interface import Memory, check_key, check_prefix, decode_value, encode_value, prefix_upper_bound

_BUSY_MS = 10_000
"""Milliseconds that a writer waits for another process's write."""

_CREATE = "CREATE TABLE IF NOT EXISTS memory (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
_WRITE = "INSERT INTO memory (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_READ = "SELECT value FROM memory WHERE key = ?"
_DELETE = "DELETE FROM memory WHERE key = ?"
_SEARCH = "SELECT key, value FROM memory WHERE key >= ? AND key < ? ORDER BY key"
_SEARCH_OPEN = "SELECT key, value FROM memory WHERE key >= ? ORDER BY key"


class SQLiteMemory(Memory):
    """A store in one file (WAL). The primary key is the index of the prefix search."""

    def __init__(self, path: Path | str) -> None:
        """Opens or creates the file. Raises MemoryStoreError; ForeignFolderError if the file came from elsewhere."""
        self.path = Path(path).absolute()  # ":memory:" is an ordinary file name here
        self._lock = Lock()
        self._is_closed = False
        with self._failures("opened"):
            make_folder(self.path.parent)
            require_ownership(self.path)
            _restrict_access(self.path)
            self._connection = sqlite3.connect(
                self.path, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False
            )
        try:
            self._set_up()
        except MemoryStoreError:
            self._connection.close()
            raise

    def write(self, key: str, value: Any) -> None:
        text = encode_value(key, value)
        with self._failures("written"):
            self._connection.execute(_WRITE, (key, text))

    def read(self, key: str) -> Any | None:
        check_key(key)
        with self._failures("read"):
            row = self._connection.execute(_READ, (key,)).fetchone()
        return None if row is None else decode_value(key, row[0])

    def delete(self, key: str) -> bool:
        """Deletes the value and overwrites its bytes, unless another process reads just then."""
        check_key(key)
        with self._failures("changed"):
            deleted = self._connection.execute(_DELETE, (key,)).rowcount
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return deleted > 0

    def search(self, prefix: str) -> list[tuple[str, Any]]:
        check_prefix(prefix)
        end = prefix_upper_bound(prefix)
        query, bounds = (_SEARCH_OPEN, (prefix,)) if end is None else (_SEARCH, (prefix, end))
        with self._failures("searched"):
            rows = self._connection.execute(query, bounds).fetchall()
        return [(key, decode_value(key, value)) for key, value in rows]

    def close(self) -> None:
        """Closes the file. Calling it again does nothing."""
        self._is_closed = True
        self._connection.close()

    def _set_up(self) -> None:
        with self._failures("opened"):
            self._connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            self._connection.execute("PRAGMA secure_delete = ON")
            retry_while_locked(lambda: self._connection.execute("PRAGMA journal_mode = WAL"))
            self._connection.execute(_CREATE)

    @contextmanager
    def _failures(self, what: str) -> Generator[None]:
        with self._lock:
            if self._is_closed:
                raise MemoryStoreError(f"The memory file {self.path} is closed.", next_step="Open it again.")
            try:
                yield
            except (sqlite3.Error, OSError, UnicodeEncodeError) as error:
                raise MemoryStoreError(
                    f"The memory file {self.path} could not be {what}: {error}.",
                    next_step="Check the path and the free space, or choose another file with `memory.path`.",
                ) from error


def _restrict_access(path: Path) -> None:
    """Gives only the owner access before SQLite opens the file: its journal files inherit the mode."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    path.chmod(0o600)
