"""Finds jobs of dead workers, and puts them back into their queues (platform 10)."""

from collections.abc import Callable

from aeon.adapters.engines.sql.job_queue import JobQueue


class JobRecovery:
    """Finds jobs of dead executors repeatedly. Several processes may do so at once."""

    def __init__(self, queue: JobQueue, executor: str, live_executors: Callable[[], set[str]]) -> None:
        """`executor` is this process's; `live_executors` returns the live executors, and may raise."""
        self._queue = queue
        self._executor = executor
        self._live_executors = live_executors
        self._suspected: set[str] = set()

    def recover(self) -> None:
        """Requeue jobs of executors that were missing in two checks in a row.

        One check is not enough: while the record was unavailable, no executor could send a heartbeat.
        """
        missing = self._queue.executors() - {self._executor}
        if missing:
            missing -= self._live_executors()
        dead = missing & self._suspected
        self._suspected = missing
        if dead:
            self._queue.requeue_all_of(dead)
