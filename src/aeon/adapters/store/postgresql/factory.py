"""Opens a record in PostgreSQL after checking that its tables have this Aeon's version."""

from functools import partial
from typing import Final

from aeon.adapters.store.migrations import LATEST
from aeon.adapters.store.postgresql.address import PostgresAddress
from aeon.adapters.store.postgresql.connection import Connection, connect
from aeon.adapters.store.postgresql.errors import as_store_errors
from aeon.adapters.store.postgresql.listener import Listener
from aeon.adapters.store.postgresql.pool import ConnectionPool
from aeon.adapters.store.postgresql.store import PostgresStore
from aeon.base.next_steps import NextStep
from aeon.platform.store import StoreError

HAS_META: Final = b"SELECT 1 AS one WHERE to_regclass('meta') IS NOT NULL"
VERSION: Final = b"SELECT CAST(value AS bigint) AS version FROM meta WHERE key = 'version'"


def open_store(address: PostgresAddress, password: str | None) -> PostgresStore:
    """Opens the store.

    Raises StoreUnavailableError, and StoreError if the tables have another version.
    """
    open_one = partial(connect, address, password)
    connection = open_one()
    try:
        with as_store_errors(connection, address.title):
            version = version_of(connection)
        _require_latest(version, address)
    except BaseException:
        connection.close()
        raise
    pool = ConnectionPool(open_one, address.title)
    pool.add(connection)
    return PostgresStore(pool, address.title, Listener(open_one))


def open_schema(address: PostgresAddress, password: str | None, *, is_durable: bool = True) -> PostgresStore:
    """Opens a schema that is not a record; it may be missing.

    With `is_durable` false, the server's own settings decide whether a commit waits for the disk. Raises
    StoreUnavailableError.
    """
    open_one = partial(connect, address, password, is_durable=is_durable)
    pool = ConnectionPool(open_one, address.title)
    pool.add(open_one())
    return PostgresStore(pool, address.title, Listener(open_one))


def version_of(connection: Connection) -> int:
    """Returns the version of the tables in the connection's schema; 0 if there are none.

    Raises psycopg.Error.
    """
    if not connection.execute(HAS_META).fetchall():
        return 0
    return connection.execute(VERSION).fetchall()[0]["version"]


def _require_latest(version: int, address: PostgresAddress) -> None:
    if version > LATEST:
        raise StoreError(
            f"{address.title} has version {version}; this Aeon knows {LATEST} at most. Nothing was changed.",
            next_step="Use the newer Aeon.",
        )
    if version < LATEST:
        has = f"has version {version}, and this Aeon needs {LATEST}"
        lacks = f"has no record in the schema {address.schema!r}, or none that this user may see"
        raise StoreError(
            f"{address.title} {has if version else lacks}.",
            next_step=NextStep("store.migrate"),
        )
