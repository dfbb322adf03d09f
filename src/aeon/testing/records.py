"""Records for tests: each a SQLite file of its own, made by the migrations."""

from pathlib import Path

from aeon.adapters.store.sqlite.opening import open_sqlite
from aeon.adapters.store.sqlite.store import SqliteStore


def new_record(folder: Path) -> SqliteStore:
    """The record in that folder, opened; made at the first call. The marks of ownership lie beside it."""
    return open_sqlite(folder / "own" / "aeon.db", state=folder / "state")
