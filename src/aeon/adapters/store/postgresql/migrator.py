"""Migrations of a record in PostgreSQL: each is one transaction, and one process at a time carries them out."""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final

from psycopg.sql import SQL, Identifier

from aeon.adapters.store.migrations import Migration
from aeon.adapters.store.postgresql.address import PostgresAddress
from aeon.adapters.store.postgresql.connection import Connection, connect, roll_back_open
from aeon.adapters.store.postgresql.errors import as_store_errors
from aeon.adapters.store.postgresql.factory import version_of
from aeon.platform.store import StoreError

BEGIN: Final = b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
LOCK: Final = b"SELECT pg_advisory_xact_lock(hashtextextended('aeon store migrate ' || $1, 0))"
ENCODING: Final = b"SELECT current_setting('server_encoding') AS encoding"
HAS_SCHEMA: Final = b"SELECT 1 AS one FROM pg_namespace WHERE nspname = $1"
CREATE_SCHEMA: Final = SQL("CREATE SCHEMA {}")
SET_RECORD_ID: Final = b"INSERT INTO meta (key, value) VALUES ('record', $1)"
SET_VERSION: Final = (
    b"INSERT INTO meta (key, value) VALUES ('version', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)

MigrationStep = Callable[[Connection], Migration | None]


def migrate(address: PostgresAddress, password: str | None, migrations: Sequence[Migration]) -> list[str]:
    """Apply the migrations that the record has not had, and create its schema if need be; their names.

    Raises StoreError. What was applied before the one that failed stays applied.
    """

    def apply_next(connection: Connection) -> Migration | None:
        _create_schema(connection, address.schema)
        version = version_of(connection)
        found = next((each for each in migrations if each.number > version), None)
        if found is not None:
            _apply(connection, found, is_first=version == 0)
        return found

    with closing(connect(address, password)) as connection:
        _require_utf8(connection, address)
        return _run_all(connection, address, apply_next)


def roll_back(address: PostgresAddress, password: str | None, migrations: Sequence[Migration], *, to: int) -> list[str]:
    """Undo the migrations after version `to`, the newest first; their names. Raises StoreError."""

    def undo_newest(connection: Connection) -> Migration | None:
        version = version_of(connection)
        found = next((each for each in migrations if each.number == version > to), None)
        if found is not None:
            _undo(connection, found)
        return found

    with closing(connect(address, password)) as connection:
        return _run_all(connection, address, undo_newest)


def _run_all(connection: Connection, address: PostgresAddress, step: MigrationStep) -> list[str]:
    """Carry a step out again and again, each time in a transaction, until there is no more to do; what was done."""
    done: list[str] = []
    with as_store_errors(connection, address.title):
        while (migration := _in_transaction(connection, address.schema, step)) is not None:
            done.append(f"{migration.number:04} {migration.name}")
    return done


def _in_transaction(connection: Connection, schema: str, step: MigrationStep) -> Migration | None:
    """Carry a step out while no other process does, whole or not at all."""
    try:
        connection.execute(BEGIN)
        connection.execute(LOCK, [schema])
        migration = step(connection)
        connection.execute(b"COMMIT")
    finally:
        roll_back_open(connection)
    return migration


def _apply(connection: Connection, migration: Migration, *, is_first: bool) -> None:
    from uuid import uuid4

    connection.execute(migration.up.encode())
    if is_first:
        connection.execute(SET_RECORD_ID, [str(uuid4())])
    connection.execute(SET_VERSION, [str(migration.number)])


def _undo(connection: Connection, migration: Migration) -> None:
    connection.execute(migration.down.encode())
    if migration.number > 1:
        connection.execute(SET_VERSION, [str(migration.number - 1)])


def _create_schema(connection: Connection, schema: str) -> None:
    """Create a schema unless it is there: who may not create any needs none then."""
    if not connection.execute(HAS_SCHEMA, [schema]).fetchall():
        connection.execute(CREATE_SCHEMA.format(Identifier(schema)))


def _require_utf8(connection: Connection, address: PostgresAddress) -> None:
    with as_store_errors(connection, address.title):
        encoding = connection.execute(ENCODING).fetchall()[0]["encoding"]
    if encoding != "UTF8":
        raise StoreError(
            f"{address.title} keeps text as {encoding}, which does not have every character.",
            next_step="Use a database that was created with ENCODING 'UTF8' TEMPLATE template0.",
        )
