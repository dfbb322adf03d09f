"""Whether a file is a record of Aeon's: its application id, its encoding and its whole schema."""

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from aeon.adapters.store.migrations import DIGESTS, LATEST, Migration, load_migrations
from aeon.adapters.store.sqlite.record_files import FOREIGN_FILE_ADVICE
from aeon.base.json import canonical_json
from aeon.base.sqlite_locks import retry_while_locked
from aeon.platform.store import DamagedStoreError, StoreError

APPLICATION_ID: Final = 0x41656F6E
"""`Aeon`, in the header of each record."""

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
"""The table that tells the version. Of a schema that is not known, it is read only if it is exactly this one."""

_STATISTICS: Final = frozenset(
    {
        ("table", "sqlite_stat1", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        ("table", "sqlite_stat4", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    }
)
"""What ANALYZE makes. A record may have it or not."""

_Row = tuple[str, str, str, str | None]


@dataclass(frozen=True, slots=True)
class SchemaVersions:
    """The versions of a record that this Aeon knows. `migrations` reads them where it is called."""

    latest: int
    digests: Mapping[int, str] = field(repr=False)
    migrations: Callable[[], Sequence[Migration]] = field(repr=False)

    def of(self, digest: str) -> int | None:
        """The version whose schema has that digest."""
        return next((version for version, known in self.digests.items() if known == digest), None)


KNOWN_VERSIONS: Final = SchemaVersions(LATEST, DIGESTS, lambda: load_migrations("sqlite"))


class RecordIdentity(NamedTuple):
    """What a record says of itself: its version, and its id, which never changes."""

    version: int
    record: str


def identify(connection: sqlite3.Connection, path: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> RecordIdentity:
    """The identity of a record whose schema is known. Nothing that stands in the schema is run before that.

    Raises DamagedStoreError for what is no record or has another schema, StoreError for a newer version.
    """
    rows = retry_while_locked(lambda: _schema(connection, path))
    version = versions.of(_digest(rows))
    if version is None:
        _refuse_newer(connection, rows, path, versions)
        raise DamagedStoreError(
            f"{path} has tables, indexes, triggers or views that no Aeon made. It was not used.",
            next_step=FOREIGN_FILE_ADVICE,
        )
    if (said := read_meta(connection, "version")) != str(version):
        raise DamagedStoreError(f"{path} says that it has version {said}, but its tables are those of {version}.")
    return RecordIdentity(version, read_meta(connection, "record"))


def schema_digest(connection: sqlite3.Connection) -> str:
    """The digest (SHA-256) of a schema: of all of its rows, but for the statistics that ANALYZE makes."""
    return _digest(connection.execute(READ_SCHEMA).fetchall())


def read_meta(connection: sqlite3.Connection, key: str) -> str:
    """What the record says of itself under a key; empty if nothing."""
    found = connection.execute(READ_META, {"key": key}).fetchone()
    return str(found[0]) if found else ""


def _schema(connection: sqlite3.Connection, path: Path) -> list[_Row]:
    (application,) = connection.execute(READ_APPLICATION_ID).fetchone()
    if application != APPLICATION_ID:
        raise DamagedStoreError(
            f"{path} is a SQLite file of another program, not a record.", next_step=FOREIGN_FILE_ADVICE
        )
    (encoding,) = connection.execute(READ_ENCODING).fetchone()
    if encoding != "UTF-8":
        raise DamagedStoreError(f"{path} keeps its text as {encoding}; no Aeon made it.", next_step=FOREIGN_FILE_ADVICE)
    return connection.execute(READ_SCHEMA).fetchall()


def _digest(rows: list[_Row]) -> str:
    kept = [list(row) for row in rows if row not in _STATISTICS]
    return hashlib.sha256(canonical_json(kept).encode()).hexdigest()


def _refuse_newer(connection: sqlite3.Connection, rows: list[_Row], path: Path, versions: SchemaVersions) -> None:
    if [row for row in rows if row[1].lower() == "meta"] != [META_ROW]:
        return
    said = read_meta(connection, "version")
    if said.isdecimal() and int(said) > versions.latest:
        raise StoreError(
            f"{path} has version {said}; this Aeon knows {versions.latest} at most. Nothing was changed.",
            next_step="Use the newer Aeon.",
        )
