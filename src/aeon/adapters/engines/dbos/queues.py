"""What stands in DBOS's table of workflows, read past DBOS: it would read the whole table, and this is asked all day.

The conditions stand as those of DBOS's indexes do, word by word: SQLite uses an index of a part of a table only then.
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


POLL_INTERVAL = 0.25
_BUSY_POLL_INTERVAL = 0.1
_BUSY_SECONDS = 3.0
"""Seconds; the last one since a job was begun, or was over: another one may come soon."""


class QueuePollers:
    """One for each type of jobs."""

    def __init__(
        self, instance: DBOS, standing: QueueStats, slots: Mapping[str, int], waiting: Callable[[str], int]
    ) -> None:
        """`slots` are how many jobs of which type are done here at once; `waiting` says how many of them wait here."""
        self._standing = standing
        self._waiting = waiting
        self._queues = {kind: _registered_queue(instance, kind) for kind in slots}
        self._slots = slots
        self._names = [queue.name for queue in self._queues.values()]
        self._open_until = 0.0

    def wake(self) -> None:
        """Something happens: have them open for a while. Threads may call it."""
        self._open_until = time.monotonic() + _BUSY_SECONDS

    def update(self) -> None:
        """Open them when there is something in one of them, or was a moment ago; else shut them."""
        is_open = time.monotonic() < self._open_until or self._standing.is_any_queued(self._names)
        for kind, queue in self._queues.items():
            if is_open:
                _configure_queue(queue, prefetch_limit(self._slots[kind], self._waiting(kind)), _BUSY_POLL_INTERVAL)
            else:
                _configure_queue(queue, 0, POLL_INTERVAL)


def _registered_queue(instance: DBOS, kind: str) -> Queue:
    make = instance._registry._register_internal_queue  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    return make(queue_name(kind), worker_concurrency=0, polling_interval_sec=POLL_INTERVAL)


def _configure_queue(queue: Queue, room: int, looks_every: float) -> None:
    queue._worker_concurrency = room  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    queue._polling_interval_sec = looks_every  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above


class JobRecovery:
    """Looks for them again and again."""

    def __init__(self, standing: QueueStats, executor: str, present: Callable[[], set[str]]) -> None:
        """`executor` is who looks; `present` says which executors there are now, and may raise."""
        self._queue_stats = standing
        self._executor = executor
        self._present = present
        self._suspected: set[str] = set()

    def recover(self) -> None:
        """Offer again what executors had begun who were not there twice in a row.

        Once is not enough: when the record was away, nobody was heard of for a moment.
        """
        missing = self._queue_stats.executors() - {self._executor}
        if missing:
            missing -= self._present()
        gone = missing & self._suspected
        self._suspected = missing
        if gone:
            DBOS._recover_pending_workflows(sorted(gone))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
