"""Migrates a record in PostgreSQL: a transaction per migration, a process at a time."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from typing import Final

from psycopg import errors
from psycopg.sql import SQL, Identifier

from aeon.adapters.store.migrations import Migration
from aeon.adapters.store.postgresql.address import PostgresAddress
from aeon.adapters.store.postgresql.connection import Connection, connect, roll_back_open
from aeon.adapters.store.postgresql.errors import as_store_errors, server_message
from aeon.adapters.store.postgresql.factory import version_of
from aeon.base.next_steps import NextStep
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

_UNEXPECTED: Final = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.UndefinedObject,
    errors.UndefinedFunction,
    errors.DuplicateTable,
    errors.DuplicateColumn,
    errors.DuplicateObject,
    errors.DuplicateFunction,
)
"""What the server reports if something that a migration changes is missing, or what it creates exists."""

MigrationStep = Callable[[Connection], Migration | None]


def migrate(address: PostgresAddress, password: str | None, migrations: Sequence[Migration]) -> list[str]:
    """Applies the missing migrations, and creates the schema if needed.

    Returns the names of the migrations. Raises StoreError. Migrations before a failed one remain applied.
    """

    def apply_next(connection: Connection) -> Migration | None:
        _create_schema(connection, address.schema)
        version = version_of(connection)
        migration = next((each for each in migrations if each.number > version), None)
        if migration is not None:
            with _as_foreign_tables(address, version):
                _apply(connection, migration, is_first=version == 0)
        return migration

    with closing(connect(address, password)) as connection:
        _require_utf8(connection, address)
        return _run_all(connection, address, apply_next)


def roll_back(address: PostgresAddress, password: str | None, migrations: Sequence[Migration], *, to: int) -> list[str]:
    """Undoes the migrations after version `to`, newest first.

    Returns their names. Raises StoreError.
    """

    def undo_newest(connection: Connection) -> Migration | None:
        version = version_of(connection)
        migration = next((each for each in migrations if each.number == version > to), None)
        if migration is not None:
            _undo(connection, migration)
        return migration

    with closing(connect(address, password)) as connection:
        return _run_all(connection, address, undo_newest)


def _run_all(connection: Connection, address: PostgresAddress, step: MigrationStep) -> list[str]:
    """Runs a step repeatedly, each time in a transaction, until it returns None.

    Returns the migrations' names.
    """
    names: list[str] = []
    with as_store_errors(connection, address.title):
        while (migration := _in_transaction(connection, address.schema, step)) is not None:
            names.append(f"{migration.number:04} {migration.name}")
    return names


def _in_transaction(connection: Connection, schema: str, step: MigrationStep) -> Migration | None:
    """Runs a step atomically, while no other process does."""
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


@contextmanager
def _as_foreign_tables(address: PostgresAddress, version: int) -> Generator[None]:
    """Raises the error of a migration that meets other tables than it expects as a StoreError with the way out."""
    try:
        yield
    except _UNEXPECTED as error:
        reason = server_message(error)
        raise StoreError(
            f"The tables of {address.title} are not those of version {version}: another, perhaps unfinished version of "
            f"Aeon made them ({reason}). The migration changed nothing.",
            next_step=NextStep("store.carry_schema_over"),
        ) from error


def _undo(connection: Connection, migration: Migration) -> None:
    connection.execute(migration.down.encode())
    if migration.number > 1:
        connection.execute(SET_VERSION, [str(migration.number - 1)])


def _create_schema(connection: Connection, schema: str) -> None:
    """Creates a schema unless it exists.

    An existing schema needs no permission to create one.
    """
    if not connection.execute(HAS_SCHEMA, [schema]).fetchall():
        connection.execute(CREATE_SCHEMA.format(Identifier(schema)))


def _require_utf8(connection: Connection, address: PostgresAddress) -> None:
    with as_store_errors(connection, address.title):
        encoding = connection.execute(ENCODING).fetchall()[0]["encoding"]
    if encoding != "UTF8":
        raise StoreError(
            f"{address.title} stores text as {encoding}, which does not support every character.",
            next_step="Use a database that was created with ENCODING 'UTF8' TEMPLATE template0.",
        )
