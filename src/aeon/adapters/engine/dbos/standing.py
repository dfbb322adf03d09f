"""What stands in DBOS's table of workflows, read past DBOS: it would read the whole table, and this is asked all day.

The conditions stand as those of DBOS's indexes do, word by word: SQLite uses an index of a part of a table only then.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Column, Engine, MetaData, Select, String, Table, bindparam, literal_column, select
from sqlalchemy.exc import OperationalError

from aeon.adapters.engine.dbos.names import JOB
from aeon.platform.store import StoreUnavailableError


class QueueStats:
    """The queues of one database, as they are now. Threads may share it."""

    def __init__(self, engine: Engine) -> None:
        workflows = workflow_table(engine)
        self._engine = engine
        self._queued = _select_queued(workflows)
        self._holders = _select_executors(workflows)
        self._held = _select_held(workflows)

    def is_any_queued(self, queues: Collection[str]) -> bool:
        """Whether there is anything in one of these queues."""
        with self._engine.connect() as connection:
            return connection.execute(self._queued, {"queues": list(queues)}).first() is not None

    def is_held(self, job: str, executor: str) -> bool:
        """Whether that executor carries the job out. Raises StoreUnavailableError."""
        try:
            with self._engine.connect() as connection:
                return connection.execute(self._held, {"job": job, "executor": executor}).first() is not None
        except OperationalError as away:
            raise StoreUnavailableError(f"The database of the runs does not answer: {away.orig}") from None

    def executors(self) -> set[str]:
        """Who carries out jobs, as far as it is written down."""
        with self._engine.connect() as connection:
            return {row.executor_id for row in connection.execute(self._holders) if row.executor_id}


def workflow_table(engine: Engine) -> Table:
    """As much of DBOS's table as is asked for."""
    schema = None if engine.dialect.name == "sqlite" else "dbos"
    names = ("workflow_uuid", "queue_name", "status", "name", "executor_id", "owner_xid")
    return Table("workflow_status", MetaData(), *(Column(name, String) for name in names), schema=schema)


def _select_queued(workflows: Table) -> Select[Any]:  # of whatever columns
    status, queue = workflows.c.status, workflows.c.queue_name
    is_in_flight = status.in_([literal_column("'ENQUEUED'"), literal_column("'PENDING'")])
    is_queued = status == literal_column("'ENQUEUED'")
    return select(queue).where(is_in_flight, is_queued, queue.in_(bindparam("queues", expanding=True))).limit(1)


def _select_held(workflows: Table) -> Select[Any]:  # of whatever columns
    is_it = (workflows.c.workflow_uuid == bindparam("job")) & (workflows.c.executor_id == bindparam("executor"))
    return select(workflows.c.status).where(is_it, workflows.c.status == literal_column("'PENDING'"))


def _select_executors(workflows: Table) -> Select[Any]:  # of whatever columns
    is_begun = workflows.c.status == literal_column("'PENDING'")
    return select(workflows.c.executor_id).where(is_begun, workflows.c.name == JOB).distinct()
