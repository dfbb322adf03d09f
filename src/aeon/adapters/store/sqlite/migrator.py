"""Migrations of a SQLite record: each is one transaction with the version that it leads to."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from aeon.adapters.store.sqlite.errors import as_store_errors
from aeon.adapters.store.sqlite.integrity import dangling_references
from aeon.adapters.store.sqlite.schema import SchemaVersions, schema_digest
from aeon.platform.store import DamagedStoreError, StoreError

_SET_VERSION: Final = """
INSERT INTO meta (key, value) VALUES ('version', :version)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


def migrate(connection: sqlite3.Connection, path: Path, version: int, versions: SchemaVersions) -> None:
    """Apply the migrations that a record of that version has not had. Nothing else may have the record open.

    Raises StoreError. What was applied before the one that failed stays applied.
    """
    for migration in versions.migrations():
        if version < migration.number <= versions.latest:
            with as_store_errors(f"The migration of {path} to version {migration.number} ({migration.name})"):
                apply_script(connection, path, migration.up, migration.number, versions)


def apply_script(
    connection: sqlite3.Connection, path: Path, script: str, version: int, versions: SchemaVersions
) -> None:
    """Run a script that leads to a version, whole or not at all. Raises sqlite3.Error or StoreError.

    References are checked at its end, so that it may drop a table that others refer to and make it anew.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        connection.execute("BEGIN IMMEDIATE")
        for statement in statements(script):
            connection.execute(statement)
        connection.execute(_SET_VERSION, {"version": str(version)})
        _require_right(connection, path, version, versions)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        connection.execute("PRAGMA foreign_keys = ON")


def statements(script: str) -> Iterator[str]:
    """The statements of a script, as SQLite itself tells where one ends: a trigger's body is part of it."""
    statement = ""
    for part in script.split(";")[:-1]:
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _require_right(connection: sqlite3.Connection, path: Path, version: int, versions: SchemaVersions) -> None:
    if found := list(dangling_references(connection)):
        raise DamagedStoreError(f"{path} cannot be migrated to version {version}: {'; '.join(found)}.")
    if schema_digest(connection) != versions.digests[version]:
        raise StoreError(
            f"The migration of {path} to version {version} did not lead to the tables it should. Nothing was changed.",
            next_step=f"Report this with the version of SQLite: {sqlite3.sqlite_version}.",
        )
