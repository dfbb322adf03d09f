"""The queues that this process serves, as DBOS looks at them: often while there is something in them, else hardly.

DBOS keeps a queue's limits in its database, where they hold for every process alike: so a queue is made as DBOS makes
its own, in memory, with the limits of this process. And each of its looks costs some 4 ms for each queue: so while
nothing is in any of them, a queue has no room, which DBOS sees without asking the database, and one question for all of
them is asked instead. The tests of queued jobs would notice the loss of either.
"""

import time
from collections.abc import Callable, Mapping

from dbos import DBOS, Queue

from aeon.adapters.engine.dbos.names import queue_name
from aeon.adapters.engine.dbos.standing import QueueStats
from aeon.adapters.engine.room import prefetch_limit

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
