"""The record in the memory of this process: nothing of it is ever on the disk."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from aeon.adapters.store.sqlite.connection import connect_in_memory
from aeon.adapters.store.sqlite.migrator import migrate
from aeon.adapters.store.sqlite.ownership import new_record_id, set_record_id
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS
from aeon.adapters.store.sqlite.store import SqliteStore

_NAME: Final = "memory"


class MemoryStore(SqliteStore):
    """A `Store` that is gone when it is closed. Threads may share it; other processes cannot open it."""

    def __init__(self) -> None:
        self._database = f"aeon-{uuid4()}"
        super().__init__(Path(_NAME))
        self._first = self._connect()  # the database lives as long as one connection
        migrate(self._first, self.path, 0, KNOWN_VERSIONS)
        set_record_id(self._first, new_record_id())

    @property
    def name(self) -> str:
        return "SQLite in memory"

    def close(self) -> None:
        super().close()
        with suppress(sqlite3.Error):
            self._first.close()

    def _connect(self) -> sqlite3.Connection:
        return connect_in_memory(self._database)
