"""Checks a record's file: its structure, its references and its text."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final

from aeon.adapters.store.sqlite.errors import as_store_errors
from aeon.platform.store import DamagedStoreError

_QUICK: Final = "PRAGMA quick_check(10)"
_FULL: Final = "PRAGMA integrity_check(10)"
_REFERENCES: Final = "PRAGMA foreign_key_check"
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"

_MAX_SHOWN = 10
"""The maximum number of findings of one kind; a damaged file may have thousands."""


def require_sound(connection: sqlite3.Connection, path: Path) -> None:
    """Checks a file that was not closed properly. Raises DamagedStoreError.

    It does not read overflow pages: large texts are checked when they are read.
    """
    findings = chain(_structure(connection, _QUICK), dangling_references(connection))
    _require_none(list(_until_unreadable(findings, path)), path)


def require_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Checks a whole file. Raises DamagedStoreError."""
    _require_none(list(integrity_problems(connection, path)), path)


def integrity_problems(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    """Yields descriptions of all faults in a record's file. Reads all of it."""
    yield from _until_unreadable(_structure(connection, _FULL), path)
    yield from _until_unreadable(dangling_references(connection), path)
    for (table,) in connection.execute(_TABLES).fetchall():
        yield from _until_unreadable(_rows(connection, table), path, f"The table {table}: ")


def dangling_references(connection: sqlite3.Connection) -> Iterator[str]:
    """Yields descriptions of references to missing rows."""
    dangling = connection.execute(_REFERENCES).fetchmany(_MAX_SHOWN)
    for table, row, missing, _ in dangling:
        yield f"The row {row} of {table} refers to a row of {missing} that does not exist"


def _structure(connection: sqlite3.Connection, pragma: str) -> Iterator[str]:
    for (finding,) in connection.execute(pragma):
        if finding != "ok":
            yield f"The structure is damaged: {finding}"


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """Reads every row, because SQLite's own checks do not validate text."""
    quoted = table.replace('"', '""')
    with closing(connection.execute(f'SELECT * FROM "{quoted}"')) as rows:  # noqa: S608  # a table of our own schema
        for _ in rows:
            pass
    yield from ()


def _until_unreadable(findings: Iterator[str], path: Path, where: str = "") -> Iterator[str]:
    """Yields the findings, and finally why the file cannot be read further.

    Raises errors other than damage.
    """
    try:
        with as_store_errors(path):
            yield from findings
    except DamagedStoreError as error:
        yield f"{where}{error.message.removesuffix('.')}"


def _require_none(findings: list[str], path: Path) -> None:
    if findings:
        raise DamagedStoreError(f"{path} is damaged. {'; '.join(findings)}.")
