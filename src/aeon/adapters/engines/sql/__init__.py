"""The engine in SQL: SQLite in the project's folder, PostgreSQL for a small cluster (decision 41)."""

from aeon.adapters.engines.sql.database import RunDatabase
from aeon.adapters.engines.sql.engine import SqlEngine
from aeon.adapters.engines.sql.worker import SqlWorker

__all__ = ["RunDatabase", "SqlEngine", "SqlWorker"]
