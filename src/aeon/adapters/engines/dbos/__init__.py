"""DBOS Transact as the engine, on SQLite in this process or on Postgres (decision 23)."""

from aeon.adapters.engines.dbos.engine import DbosEngine
from aeon.adapters.engines.dbos.worker import DbosWorker

__all__ = ["DbosEngine", "DbosWorker"]
