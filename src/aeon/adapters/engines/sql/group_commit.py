"""Writes of several threads that share transactions, and so the syncs of their commits (platform 42)."""

import threading
from concurrent.futures import Future
from typing import NamedTuple

from aeon.adapters.engines.sql.database import RunDatabase
from aeon.base.json import JsonObject
from aeon.platform.runs.lease import HaltError
from aeon.platform.store import Query

_MAX_SQLITE_WRITERS, _MAX_WRITERS = 1, 4
"""Concurrent transactions of this process; SQLite has one writer."""


class _PendingRow(NamedTuple):
    """A row to write, and whether it was written."""

    params: JsonObject
    is_written: Future[bool]


class GroupCommit:
    """Writes rows with one query. Rows that wait while others are written share the next transaction. Thread-safe."""

    def __init__(self, database: RunDatabase, query: Query) -> None:
        """`query` must have the same effect when it is repeated: the answer to a commit may be lost."""
        self._database = database
        self._query = query
        self._slots = threading.BoundedSemaphore(_MAX_SQLITE_WRITERS if database.is_sqlite else _MAX_WRITERS)
        self._lock = threading.Lock()
        self._pending: list[_PendingRow] = []

    def write(self, params: JsonObject) -> bool:
        """Write a row, and return whether it was new. Blocks while the database is unavailable.

        Raises HaltError once the database is closed, and StoreError for a row that cannot be stored.
        """
        row = _PendingRow(params, Future())
        with self._lock:
            self._pending.append(row)
        with self._slots:
            self._write_pending()
        return row.is_written.result()

    def _write_pending(self) -> None:
        with self._lock:
            waiting, self._pending = self._pending, []
        if waiting:
            self._write_rows(waiting)

    def _write_rows(self, rows: list[_PendingRow]) -> None:
        """Write rows in one transaction; a row that cannot be written fails alone."""
        try:
            written = self._database.until_available(
                lambda: self._database.update(lambda unit: [unit.write(self._query, row.params) for row in rows])
            )
        except Exception as error:  # noqa: BLE001  # reported to the waiting callers
            if len(rows) == 1 or isinstance(error, HaltError):
                for row in rows:
                    row.is_written.set_exception(error)
            else:
                for row in rows:
                    self._write_rows([row])
        else:
            for row, count in zip(rows, written, strict=True):
                row.is_written.set_result(count == 1)
