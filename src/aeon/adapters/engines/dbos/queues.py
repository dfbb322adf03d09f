"""Reads DBOS's workflow table directly, with indexes; DBOS would scan the whole table.

The conditions match those of DBOS's indexes word by word: SQLite uses a partial index only then.
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dbos import DBOS, Queue
from sqlalchemy import Column, Engine, MetaData, Select, String, Table, bindparam, literal_column, select
from sqlalchemy.exc import OperationalError

from aeon.adapters.engines.dbos.instance import JOB, queue_name
from aeon.adapters.engines.jobs import prefetch_limit
from aeon.platform.store import StoreUnavailableError


class QueueStats:
    """The current queues of one database. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        workflows = workflow_table(engine)
        self._engine = engine
        self._queued = _select_queued(workflows)
        self._holders = _select_executors(workflows)
        self._held = _select_held(workflows)

    def is_any_queued(self, queues: Collection[str]) -> bool:
        """Return whether any of these queues has a job."""
        with self._engine.connect() as connection:
            return connection.execute(self._queued, {"queues": list(queues)}).first() is not None

    def is_held(self, job: str, executor: str) -> bool:
        """Return whether that executor executes the job. Raises StoreUnavailableError."""
        try:
            with self._engine.connect() as connection:
                return connection.execute(self._held, {"job": job, "executor": executor}).first() is not None
        except OperationalError as away:
            raise StoreUnavailableError(f"The database of the runs does not answer: {away.orig}") from None

    def executors(self) -> set[str]:
        """Return the executors that execute jobs, as far as DBOS has recorded."""
        with self._engine.connect() as connection:
            return {row.executor_id for row in connection.execute(self._holders) if row.executor_id}


def workflow_table(engine: Engine) -> Table:
    """Return the columns of DBOS's table that are used here."""
    schema = None if engine.dialect.name == "sqlite" else "dbos"
    names = ("workflow_uuid", "queue_name", "status", "name", "executor_id", "owner_xid")
    return Table("workflow_status", MetaData(), *(Column(name, String) for name in names), schema=schema)


def _select_queued(workflows: Table) -> Select[Any]:  # its columns vary
    status, queue = workflows.c.status, workflows.c.queue_name
    is_in_flight = status.in_([literal_column("'ENQUEUED'"), literal_column("'PENDING'")])
    is_queued = status == literal_column("'ENQUEUED'")
    return select(queue).where(is_in_flight, is_queued, queue.in_(bindparam("queues", expanding=True))).limit(1)


def _select_held(workflows: Table) -> Select[Any]:  # its columns vary
    is_job = (workflows.c.workflow_uuid == bindparam("job")) & (workflows.c.executor_id == bindparam("executor"))
    return select(workflows.c.status).where(is_job, workflows.c.status == literal_column("'PENDING'"))


def _select_executors(workflows: Table) -> Select[Any]:  # its columns vary
    is_started = workflows.c.status == literal_column("'PENDING'")
    return select(workflows.c.executor_id).where(is_started, workflows.c.name == JOB).distinct()


POLL_INTERVAL = 0.25
_BUSY_POLL_INTERVAL = 0.1
_BUSY_SECONDS = 3.0
"""Seconds; the last one is how long after a job another one is likely."""


class QueuePollers:
    """The pollers of job queues, one for each worker type."""

    def __init__(
        self, instance: DBOS, stats: QueueStats, slots: Mapping[str, int], waiting: Callable[[str], int]
    ) -> None:
        """`slots` is the number of concurrent jobs by type; `waiting` counts those that wait."""
        self._stats = stats
        self._waiting = waiting
        self._queues = {kind: _registered_queue(instance, kind) for kind in slots}
        self._slots = slots
        self._names = [queue.name for queue in self._queues.values()]
        self._open_until = 0.0

    def wake(self) -> None:
        """Poll often for a while, because something happened. Thread-safe."""
        self._open_until = time.monotonic() + _BUSY_SECONDS

    def update(self) -> None:
        """Open the queues if any has a job, or had one a moment ago; otherwise close them."""
        is_open = time.monotonic() < self._open_until or self._stats.is_any_queued(self._names)
        for kind, queue in self._queues.items():
            if is_open:
                _configure_queue(queue, prefetch_limit(self._slots[kind], self._waiting(kind)), _BUSY_POLL_INTERVAL)
            else:
                _configure_queue(queue, 0, POLL_INTERVAL)


def _registered_queue(instance: DBOS, kind: str) -> Queue:
    make = instance._registry._register_internal_queue  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    return make(queue_name(kind), worker_concurrency=0, polling_interval_sec=POLL_INTERVAL)


def _configure_queue(queue: Queue, limit: int, interval: float) -> None:
    queue._worker_concurrency = limit  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    queue._polling_interval_sec = interval  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above


class JobRecovery:
    """Finds jobs of dead executors repeatedly."""

    def __init__(self, stats: QueueStats, executor: str, present: Callable[[], set[str]]) -> None:
        """`executor` is this process's; `present` returns the live executors, and may raise."""
        self._stats = stats
        self._executor = executor
        self._present = present
        self._suspected: set[str] = set()

    def recover(self) -> None:
        """Offer jobs of executors again that were missing in two checks in a row.

        One check is not enough: while the record was unavailable, no executor could send a heartbeat.
        """
        missing = self._stats.executors() - {self._executor}
        if missing:
            missing -= self._present()
        dead = missing & self._suspected
        self._suspected = missing
        if dead:
            DBOS._recover_pending_workflows(sorted(dead))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
