"""Each database holds the runs of one record, because workers drop other records' jobs.

The database has an id of its own, too, so that a record can name the database of its runs.
"""

from contextlib import suppress
from typing import Final
from uuid import uuid4

from sqlalchemy import Column, Engine, Integer, MetaData, String, Table, insert, select
from sqlalchemy.exc import IntegrityError

from aeon.adapters.engines.dbos.database import Database, as_unavailable_errors, create_table
from aeon.base.errors import ConfigError

_GRAPH: Final = Table(
    "aeon_graph",
    MetaData(),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("id", String, nullable=False),
)
_RECORD, _DATABASE = 1, 2
"""Places in the table: the id of the record, and the database's own id."""


def claim_database(address: str, record: str) -> None:
    """Claim the database at `address` for the record; the first claim is permanent.

    Raises ConfigError if it holds the runs of another record, and EngineUnavailableError.
    """
    owner = _read_or_insert(address, _RECORD, record)
    if owner != record:
        raise ConfigError(
            f"engine.address: the database holds the runs of another record ({owner}), and yours is {record}.",
            next_step="Give each record a database of its own: CREATE DATABASE, and name that one in engine.address.",
        )


def database_id(address: str) -> str:
    """Return the database's own id; the first call creates it. Raises EngineUnavailableError."""
    return _read_or_insert(address, _DATABASE, str(uuid4()))


def _read_or_insert(address: str, place: int, value: str) -> str:
    """Return the value at a place of the database; store `value` there if it is empty."""
    database = Database(address)
    try:
        with as_unavailable_errors():
            return _select_or_insert(database.engine, place, value)
    finally:
        database.dispose()


def _select_or_insert(engine: Engine, place: int, value: str) -> str:
    create_table(engine, _GRAPH)
    query = select(_GRAPH.c.id).where(_GRAPH.c.place == place)
    with engine.connect() as connection:
        if (stored := connection.execute(query).scalar()) is not None:
            return stored
    with suppress(IntegrityError), engine.begin() as connection:  # another process may be faster
        connection.execute(insert(_GRAPH), {"place": place, "id": value})
    with engine.connect() as connection:
        return connection.execute(query).scalar_one()
