"""The record in a schema of a PostgreSQL database, for workers on many machines."""

from importlib.util import find_spec

from aeon.adapters.store.postgresql.address import PostgresAddress, parse_address
from aeon.base.errors import MissingExtraError
from aeon.platform.store import Store

__all__ = ["PostgresAddress", "migrate", "open_postgresql", "open_schema", "parse_address", "roll_back"]


def open_postgresql(address: str, password: str | None = None) -> Store:
    """Opens the record at `postgresql://user@host:5432/database?schema=aeon`.

    Other processes may have it open. Raises ConfigError for an invalid address, MissingExtraError,
    StoreUnavailableError if the server does not answer or refuses the user, and StoreError for a record of another
    version.
    """
    place = parse_address(address)
    _require_psycopg()
    from aeon.adapters.store.postgresql.factory import open_store

    return open_store(place, password)


def open_schema(address: PostgresAddress, password: str | None = None, *, is_durable: bool = True) -> Store:
    """Opens a schema that is not a record, such as the one of an engine's runs; it may be missing.

    With `is_durable` false, the server's own settings decide whether a commit waits for the disk. Raises
    MissingExtraError, StoreUnavailableError.
    """
    _require_psycopg()
    from aeon.adapters.store.postgresql import factory

    return factory.open_schema(address, password, is_durable=is_durable)


def migrate(address: str, password: str | None = None) -> list[str]:
    """Migrates the record at an address to this Aeon's version, or creates it.

    Returns the applied migrations' names. The user must own the schema, or be allowed to create it. Raises like
    `open_postgresql`.
    """
    place = parse_address(address)
    _require_psycopg()
    from aeon.adapters.store.migrations import load_migrations
    from aeon.adapters.store.postgresql import migrator

    return migrator.migrate(place, password, load_migrations("postgresql"))


def roll_back(address: str, password: str | None = None, *, to: int) -> list[str]:
    """Undoes the migrations after version `to`, with data that only they store.

    Returns their names, newest first.
    """
    place = parse_address(address)
    _require_psycopg()
    from aeon.adapters.store.migrations import load_migrations
    from aeon.adapters.store.postgresql import migrator

    return migrator.roll_back(place, password, load_migrations("postgresql"), to=to)


def _require_psycopg() -> None:
    if find_spec("psycopg") is None:
        raise MissingExtraError("PostgreSQL needs psycopg.", next_step="Run pip install 'aeon-orchestrator[postgres]'.")
