"""The vault's SQLite file: created atomically, checked, and used in transactions.

It uses a rollback journal, not a write-ahead log. At rest it is therefore one file, whose copy is complete, and SQLite
notices if the file of an open vault is moved away instead of writing to the moved file.
"""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from aeon.adapters.vault import queries
from aeon.adapters.vault.errors import RESTORE_ADVICE, as_vault_error
from aeon.adapters.vault.private_files import check_folder, check_private, create_file, private_folder
from aeon.adapters.vault.sealing import VaultHeader
from aeon.base.project_folder import require_ownership
from aeon.platform.vault import VaultError

_BUSY_SECONDS = 10
"""How long a process waits for the write of another process."""


class VaultFile:
    """One connection, used by one thread at a time, for the statements in `queries`."""

    def __init__(self, path: Path) -> None:
        """Opens an existing file.

        Raises VaultError if others may read it, or if it is damaged or not a vault.
        """
        require_ownership(path)
        self.path = path.resolve()
        self._lock = RLock()
        with self._failures():
            check_folder(self.path.parent)
            check_private(self.path, self.path.stat())
            self._connection = _connect(self.path)
        try:
            self._check()
        except BaseException:
            self._connection.close()
            raise

    def execute(self, query: str, params: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        return self._connection.execute(query, params)

    def exists(self, query: str, params: tuple[Any, ...]) -> bool:
        return self.execute(query, params).fetchone() is not None

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def exclusive(self) -> Generator[None]:
        """Excludes other threads of this process."""
        with self._lock:
            yield

    @contextmanager
    def reading(self) -> Generator[None]:
        """Reads a snapshot of the file, unaffected by concurrent writes."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Generator[None]:
        """Writes atomically.

        It takes the write lock at once: a reader that turns writer could be refused midway.
        """
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    def _check(self) -> None:
        with self._failures():
            for setting in queries.SETTINGS:
                self.execute(setting)
        with self.reading():
            if self.execute(queries.IDENTITY).fetchone() != (queries.APPLICATION_ID, queries.FORMAT):
                raise VaultError(f"{self.path} is not a vault of this version of Aeon.", next_step=RESTORE_ADVICE)
            if not self._is_whole():
                raise VaultError(f"The vault {self.path} is damaged.", next_step=RESTORE_ADVICE)

    def _is_whole(self) -> bool:
        # SQLite treats missing bytes of the last page as zeros.
        has_all_bytes = self.execute(queries.SIZE).fetchone() == (self.path.stat().st_size,)
        return has_all_bytes and self.execute(queries.QUICK_CHECK).fetchone() == ("ok",)

    @contextmanager
    def _transaction(self, begin: str) -> Generator[None]:
        with self._lock, self._failures(), self._connection:
            self._connection.execute(begin)
            yield

    @contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise as_vault_error(error, self.path) from None


def make_vault_file(path: Path, head: VaultHeader) -> None:
    """Creates an empty vault at `path` unless something exists.

    Raises VaultError if others may write to its folder.
    """
    try:
        private_folder(path.parent)
        create_file(path, lambda draft: _fill(draft, head))
    except (sqlite3.Error, OSError) as error:
        raise as_vault_error(error, path) from None


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _fill(path: Path, head: VaultHeader) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(queries.CREATE)
        connection.execute(queries.WRITE_HEAD, head)
