"""The table of memories: SQLite in the skill's data folder; each use is one transaction."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from .protocol import MemoryRefusalError

FILE_NAME = "memory.db"

_LOCK_TIMEOUT = 20.0
"""Seconds to wait for other processes, less than the scripts' own timeout."""

_CREATE = """
CREATE TABLE IF NOT EXISTS memories (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL,
  words TEXT NOT NULL
)
"""
_PUT = "INSERT OR REPLACE INTO memories (key, value, words) VALUES (?, ?, ?)"
_GET = "SELECT value FROM memories WHERE key = ?"
_DELETE = "DELETE FROM memories WHERE key = ?"
_SEARCH = """
SELECT key, value FROM (
  SELECT id, key, value,
    (SELECT count(*) FROM json_each(?1) AS word WHERE instr(memories.words, word.value) > 0) AS hits
  FROM memories
) WHERE hits > 0 ORDER BY hits DESC, id DESC LIMIT ?2
"""


class StoredMemory(NamedTuple):
    """A memory; `value` is its JSON text."""

    key: str
    value: str


class Memories:
    """The stored memories, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, memory: StoredMemory, words: str) -> bool:
        """Stores a memory and replaces an older one with its key. Returns whether the key is new."""
        is_new = self.get(memory.key) is None
        self._connection.execute(_PUT, (memory.key, memory.value, words))
        return is_new

    def get(self, key: str) -> str | None:
        """Returns the value's JSON text, None for an unknown key."""
        row = self._connection.execute(_GET, (key,)).fetchone()
        return None if row is None else str(row[0])

    def delete(self, key: str) -> bool:
        """Deletes a memory. Returns whether it existed."""
        return self._connection.execute(_DELETE, (key,)).rowcount > 0

    def search(self, words: str, limit: int) -> list[StoredMemory]:
        """Returns memories with any of the words (a JSON list): most words first, then the latest."""
        return [StoredMemory(*row) for row in self._connection.execute(_SEARCH, (words, limit))]


@contextmanager
def open_memories(folder: Path) -> Generator[Memories, None, None]:
    """Opens an exclusive transaction; other processes wait.

    Raises MemoryRefusalError for a damaged or unusable file.
    """
    try:
        with closing(sqlite3.connect(folder / FILE_NAME, timeout=_LOCK_TIMEOUT, isolation_level=None)) as connection:
            # IMMEDIATE: a transaction that starts as a reader cannot become a writer while another one writes.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_CREATE)
            yield Memories(connection)
            connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        raise MemoryRefusalError("storage", f"The memory is unavailable ({error}); try again.") from None
    except sqlite3.DatabaseError as error:
        message = f"The memory's file {FILE_NAME} is damaged ({error}); move it away to start a new one."
        raise MemoryRefusalError("storage", message) from None
