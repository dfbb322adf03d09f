"""The record in the memory of this process: nothing of it is ever on the disk."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from aeon.adapters.store.sqlite.connection import connect_in_memory
from aeon.adapters.store.sqlite.migrator import create_tables
from aeon.adapters.store.sqlite.ownership import new_record_id, set_record_id
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS
from aeon.adapters.store.sqlite.store import SqliteStore, SqliteUnit
from aeon.platform.store import QueryError, UnitOfWork

T = TypeVar("T")

_PLACE: Final = Path("memory")
"""Stands for a file in messages."""


class MemoryStore(SqliteStore):
    """A `Store` that is gone when it is closed. Threads may share it; other processes cannot open it.

    One connection writes. Readers have copies of what was committed last, so that they see no work that is under way.
    A copy is made once for each commit that is read: the record of one conversation is small.
    """

    def __init__(self) -> None:
        super().__init__(_PLACE)
        self._writer = connect_in_memory(None)
        create_tables(self._writer, self.path, KNOWN_VERSIONS)
        set_record_id(self._writer, new_record_id())
        self._committed = self._writer.serialize()
        self._current: set[sqlite3.Connection] = set()

    @property
    def name(self) -> str:
        return "SQLite in memory"

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        with self._writing:
            if self._is_closed:
                raise QueryError(f"{self.name} is closed.")
            result = SqliteUnit(self._writer, self.path).run(work, begin="BEGIN IMMEDIATE")
            with self._lock:
                self._committed = self._writer.serialize()
                self._current.clear()
                self._close_idle()
            return result

    def compact(self, tables: Sequence[str]) -> bool:  # noqa: ARG002  # nothing of it is in a file
        return True

    def close(self) -> None:
        with self._writing:
            super().close()
            self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        with self._lock:
            connection = connect_in_memory(self._committed)
            self._current.add(connection)
            return connection

    def _is_reusable(self, connection: sqlite3.Connection) -> bool:
        """Not a copy of what has changed meanwhile: the next reader would not see what was committed before."""
        return connection in self._current and super()._is_reusable(connection)
