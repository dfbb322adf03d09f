"""A database holds the runs of one record: with two, workers of each would take the other's jobs for unwanted."""

from contextlib import suppress
from typing import Final

from sqlalchemy import Column, Engine, Integer, MetaData, String, Table, insert, select
from sqlalchemy.exc import IntegrityError

from aeon.adapters.engine.dbos.database import Database, ensure, told_when_away
from aeon.base.errors import ConfigError

_GRAPH: Final = Table(
    "aeon_graph",
    MetaData(),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("id", String, nullable=False),
)
_PLACE = 1


def claim(address: str, record: str) -> None:
    """Have the database at `address` be the record's, from the first time on.

    Raises ConfigError where it is another record's, and EngineUnavailableError.
    """
    database = Database(address)
    try:
        with told_when_away():
            owner = _owner(database.engine, record)
    finally:
        database.dispose()
    if owner != record:
        raise ConfigError(
            f"engine.address: the database holds the runs of another record ({owner}), and this one is {record}.",
            next_step="Give each record a database of its own: CREATE DATABASE, and name that one in engine.address.",
        )


def _owner(engine: Engine, record: str) -> str:
    ensure(engine, _GRAPH)
    with suppress(IntegrityError), engine.begin() as connection:  # else somebody has it
        connection.execute(insert(_GRAPH), {"place": _PLACE, "id": record})
    with engine.connect() as connection:
        return connection.execute(select(_GRAPH.c.id)).scalar_one()
