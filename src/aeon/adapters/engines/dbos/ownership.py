"""A database holds the runs of one record: with two, workers of each would take the other's jobs for unwanted.

It has an id of its own too, so that a record can say where its runs are kept (measured E5).
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
_RECORD, _ITSELF = 1, 2
"""Where in the table stands whose the database is, and its own id."""


def claim_database(address: str, record: str) -> None:
    """Have the database at `address` be the record's, from the first time on.

    Raises ConfigError where it is another record's, and EngineUnavailableError.
    """
    owner = _read_or_insert(address, _RECORD, record)
    if owner != record:
        raise ConfigError(
            f"engine.address: the database holds the runs of another record ({owner}), and this one is {record}.",
            next_step="Give each record a database of its own: CREATE DATABASE, and name that one in engine.address.",
        )


def database_id(address: str) -> str:
    """The database's own id, given to it when it is first asked for. Raises EngineUnavailableError."""
    return _read_or_insert(address, _ITSELF, str(uuid4()))


def _read_or_insert(address: str, place: int, value: str) -> str:
    """What stands in that place of the database at `address`: `value`, unless something stood there before."""
    database = Database(address)
    try:
        with as_unavailable_errors():
            return _select_or_insert(database.engine, place, value)
    finally:
        database.dispose()


def _select_or_insert(engine: Engine, place: int, value: str) -> str:
    create_table(engine, _GRAPH)
    stands = select(_GRAPH.c.id).where(_GRAPH.c.place == place)
    with engine.connect() as connection:
        if (there := connection.execute(stands).scalar()) is not None:
            return there
    with suppress(IntegrityError), engine.begin() as connection:  # else somebody was quicker
        connection.execute(insert(_GRAPH), {"place": place, "id": value})
    with engine.connect() as connection:
        return connection.execute(stands).scalar_one()
