"""Migrates a SQLite record: one transaction for each migration with its version."""

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


def create_tables(connection: sqlite3.Connection, path: Path, versions: SchemaVersions) -> None:
    """Creates the tables of the latest version in an empty file. Raises StoreError."""
    if versions.newest is None:
        migrate(connection, path, 0, versions)
        return
    with as_store_errors(f"The creation of {path}"):
        apply_script(connection, path, versions.newest(), versions.latest, versions)


def migrate(connection: sqlite3.Connection, path: Path, version: int, versions: SchemaVersions) -> None:
    """Applies the missing migrations to a record of that version.

    No other process may have the record open. Raises StoreError. Migrations before a failed one remain applied.
    """
    for migration in versions.migrations():
        if version < migration.number <= versions.latest:
            with as_store_errors(f"The migration of {path} to version {migration.number} ({migration.name})"):
                apply_script(connection, path, migration.up, migration.number, versions)


def apply_script(
    connection: sqlite3.Connection, path: Path, script: str, version: int, versions: SchemaVersions
) -> None:
    """Runs the script of a version atomically. Raises sqlite3.Error or StoreError.

    References are checked at its end, so that it may drop and recreate a table that others refer to.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        connection.execute("BEGIN IMMEDIATE")
        for statement in statements(script):
            connection.execute(statement)
        connection.execute(_SET_VERSION, {"version": str(version)})
        _require_valid(connection, path, version, versions)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        connection.execute("PRAGMA foreign_keys = ON")


def statements(script: str) -> Iterator[str]:
    """Splits a script into statements by SQLite's own rules, which keep triggers whole."""
    statement = ""
    for part in script.split(";")[:-1]:
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _require_valid(connection: sqlite3.Connection, path: Path, version: int, versions: SchemaVersions) -> None:
    if dangling := list(dangling_references(connection)):
        raise DamagedStoreError(f"{path} cannot be migrated to version {version}: {'; '.join(dangling)}.")
    if schema_digest(connection) != versions.digests[version]:
        raise StoreError(
            f"The migration of {path} to version {version} did not create the expected tables. Nothing was changed.",
            next_step=f"Report this with the version of SQLite: {sqlite3.sqlite_version}.",
        )
