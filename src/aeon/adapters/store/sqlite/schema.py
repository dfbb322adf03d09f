"""Identifies a record of Aeon by its application id, its encoding and its whole schema."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from aeon.adapters.store.migrations import DIGESTS, LATEST, Migration, load_migrations, load_newest_schema
from aeon.adapters.store.sqlite.record_files import FOREIGN_FILE_ADVICE
from aeon.base.json import json_digest
from aeon.base.next_steps import NextStep
from aeon.base.sqlite_locks import retry_while_locked
from aeon.platform.store import DamagedStoreError, StoreError

APPLICATION_ID: Final = 0x41656F6E
"""`Aeon`, in the header of every record."""

OTHER_VERSION_ADVICE: Final = NextStep("store.carry_over")

READ_APPLICATION_ID: Final = "PRAGMA application_id"
READ_ENCODING: Final = "PRAGMA encoding"
READ_SCHEMA: Final = """
SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT), CAST(sql AS TEXT)
FROM sqlite_schema
ORDER BY 1, 2, 3, 4
"""
READ_META: Final = "SELECT value FROM meta WHERE key = :key"

_META_TEXT: Final = """CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID"""

META_ROW: Final = ("table", "meta", "meta", _META_TEXT)
"""The table with the version. In an unknown schema, it is read only if it is exactly this table."""

_STATISTICS: Final = frozenset(
    {
        ("table", "sqlite_stat1", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        ("table", "sqlite_stat4", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    }
)
"""Tables that ANALYZE creates. They are optional."""

_Row = tuple[str, str, str, str | None]


@dataclass(frozen=True, slots=True)
class SchemaVersions:
    """The record versions that this Aeon knows. `migrations` and `newest` read their files when called.

    `newest` is a script that creates an empty record of the latest version; without it, one is made by all migrations.
    """

    latest: int
    digests: Mapping[int, str] = field(repr=False)
    migrations: Callable[[], Sequence[Migration]] = field(repr=False)
    newest: Callable[[], str] | None = field(default=None, repr=False)

    def of(self, digest: str) -> int | None:
        """Returns the version whose schema has that digest."""
        return next((version for version, known in self.digests.items() if known == digest), None)


KNOWN_VERSIONS: Final = SchemaVersions(LATEST, DIGESTS, lambda: load_migrations("sqlite"), load_newest_schema)


class RecordIdentity(NamedTuple):
    """A record's version, and its id, which never changes."""

    version: int
    record: str


def identify(connection: sqlite3.Connection, path: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> RecordIdentity:
    """Returns the identity of a record with a known schema.

    Nothing in the schema runs before it is known. Raises DamagedStoreError for a file that is not a record or has
    another schema, StoreError for a newer version.
    """
    rows = retry_while_locked(lambda: _schema(connection, path))
    version = versions.of(_digest(rows))
    if version is None:
        _refuse_newer(connection, rows, path, versions)
        raise DamagedStoreError(
            f"{path} has tables, indexes, triggers or views that this version of Aeon did not create: another, perhaps "
            "unfinished version did, or another program. It was not used.",
            next_step=OTHER_VERSION_ADVICE,
        )
    if (stated := read_meta(connection, "version")) != str(version):
        raise DamagedStoreError(f"{path} states version {stated}, but its tables are those of version {version}.")
    return RecordIdentity(version, read_meta(connection, "record"))


def schema_digest(connection: sqlite3.Connection) -> str:
    """Returns the SHA-256 digest of all rows of a schema, except for the statistics of ANALYZE."""
    return _digest(connection.execute(READ_SCHEMA).fetchall())


def read_meta(connection: sqlite3.Connection, key: str) -> str:
    """Returns the record's metadata under a key; empty if there is none."""
    row = connection.execute(READ_META, {"key": key}).fetchone()
    return str(row[0]) if row else ""


def _schema(connection: sqlite3.Connection, path: Path) -> list[_Row]:
    (application,) = connection.execute(READ_APPLICATION_ID).fetchone()
    if application != APPLICATION_ID:
        raise DamagedStoreError(
            f"{path} is a SQLite file of another program, not a record.", next_step=FOREIGN_FILE_ADVICE
        )
    (encoding,) = connection.execute(READ_ENCODING).fetchone()
    if encoding != "UTF-8":
        raise DamagedStoreError(
            f"{path} stores its text as {encoding}; Aeon did not create it.", next_step=FOREIGN_FILE_ADVICE
        )
    return connection.execute(READ_SCHEMA).fetchall()


def _digest(rows: list[_Row]) -> str:
    relevant = [list(row) for row in rows if row not in _STATISTICS]
    return json_digest(relevant)


def _refuse_newer(connection: sqlite3.Connection, rows: list[_Row], path: Path, versions: SchemaVersions) -> None:
    if [row for row in rows if row[1].lower() == "meta"] != [META_ROW]:
        return
    stated = read_meta(connection, "version")
    if stated.isdecimal() and int(stated) > versions.latest:
        raise StoreError(
            f"{path} has version {stated}; this Aeon knows {versions.latest} at most. Nothing was changed.",
            next_step="Use the newer Aeon.",
        )
