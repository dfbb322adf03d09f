"""Whether a record's file is whole: its structure, its references and its text."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final

from aeon.adapters.store.sqlite.errors import as_store_errors
from aeon.platform.store import DamagedStoreError

_QUICK: Final = "PRAGMA quick_check(10)"
_WHOLE: Final = "PRAGMA integrity_check(10)"
_REFERENCES: Final = "PRAGMA foreign_key_check"
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"

_SHOWN = 10
"""Findings of one kind; a damaged file may have thousands."""


def require_sound(connection: sqlite3.Connection, path: Path) -> None:
    """Check a file that was not closed in the end. Raises DamagedStoreError.

    It does not read what lies in overflow pages: large texts are checked as they are read.
    """
    findings = chain(_structure(connection, _QUICK), dangling_references(connection))
    _require_none(list(_as_far_as_readable(findings, path)), path)


def require_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Check all of a file. Raises DamagedStoreError."""
    _require_none(list(integrity_problems(connection, path)), path)


def integrity_problems(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    """What is wrong in a record's file, in words. Reads all of it."""
    yield from _as_far_as_readable(_structure(connection, _WHOLE), path)
    yield from _as_far_as_readable(dangling_references(connection), path)
    for (table,) in connection.execute(_TABLES).fetchall():
        yield from _as_far_as_readable(_rows(connection, table), path, f"The table {table}: ")


def dangling_references(connection: sqlite3.Connection) -> Iterator[str]:
    """The references to rows that are not there, in words."""
    found = connection.execute(_REFERENCES).fetchmany(_SHOWN)
    for table, row, missing, _ in found:
        yield f"The row {row} of {table} refers to a row of {missing} that is not there"


def _structure(connection: sqlite3.Connection, pragma: str) -> Iterator[str]:
    for (finding,) in connection.execute(pragma):
        if finding != "ok":
            yield f"The structure is damaged: {finding}"


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """Read every row: SQLite's own checks do not look at what a text is made of."""
    quoted = table.replace('"', '""')
    with closing(connection.execute(f'SELECT * FROM "{quoted}"')) as rows:  # noqa: S608  # a table of our own schema
        for _ in rows:
            pass
    yield from ()


def _as_far_as_readable(findings: Iterator[str], path: Path, where: str = "") -> Iterator[str]:
    """The findings, and as the last one why the file cannot be read further. Raises what is no damage."""
    try:
        with as_store_errors(path):
            yield from findings
    except DamagedStoreError as error:
        yield f"{where}{error.message.removesuffix('.')}"


def _require_none(found: list[str], path: Path) -> None:
    if found:
        raise DamagedStoreError(f"{path} is damaged. {'; '.join(found)}.")
