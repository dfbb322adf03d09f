"""The processes and workers that there are, as they say themselves."""

from collections.abc import Mapping, Sequence

from aeon.base.clock import Clock
from aeon.platform.store import Store, UnitOfWork
from aeon.platform.workers import queries
from aeon.platform.workers.liveness import ObservedHeartbeat, current_process, is_dead
from aeon.platform.workers.model import HEARTBEAT_TIMEOUT, ExecutorProcess, Worker

_MOST = 10_000


class WorkerRegistry:
    """The processes and workers of one record. Threads may share it. All raise StoreError."""

    def __init__(self, store: Store, clock: Clock, lease: float = HEARTBEAT_TIMEOUT) -> None:
        """A process that sends no heartbeat for `lease` seconds is taken for gone."""
        self._store = store
        self._clock = clock
        self._lease = lease
        self._here = current_process()
        self._first_seen: dict[str, tuple[ObservedHeartbeat, float]] = {}

    def register(self, executor: str, slots: Mapping[str, int], types: Sequence[str]) -> list[Worker]:
        """Enter this process, with so many idle workers of each type; `types` are the queues it serves for others."""
        now = self._clock.now()
        here = ExecutorProcess(
            id=executor,
            host=self._here.host,
            pid=self._here.pid,
            birth=self._here.start_time,
            started_at=now,
            last_heartbeat=now,
            types=list(types),
        )
        workers = [
            Worker(
                id=f"{executor}/{kind}/{number}",
                type=kind,
                last_heartbeat=now,
                created_at=now,
                updated_at=now,
                executor_id=executor,
            )
            for kind, count in slots.items()
            for number in range(1, count + 1)
        ]

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.REGISTER, here.as_row())
            unit.write_each(queries.REGISTER_WORKER, [each.as_row() for each in workers])

        self._store.update(work)
        return workers

    def heartbeat(self, executor: str, workers: Sequence[Worker]) -> bool:
        """Say that this process is there, and what its workers do; False when it was taken for gone, and taken out."""
        now = self._clock.now()
        rows = [each.as_row() | {"last_heartbeat": now} for each in workers]

        def work(unit: UnitOfWork) -> bool:
            if not unit.write(queries.BEAT, {"id": executor, "at": now}):
                return False
            unit.write_each(queries.BEAT_WORKER, rows)
            return True

        return self._store.update(work)

    def deregister(self, executor: str) -> None:
        """Take a process and its workers out: it has ended, or it is gone."""
        self._store.update(lambda unit: unit.write(queries.RETIRE, {"id": executor}))

    def list_executors(self) -> list[ExecutorProcess]:
        """All that are entered, whether they are still there or not."""
        return [ExecutorProcess.from_row(row) for row in self._store.read(queries.EXECUTORS, {"limit": _MOST})]

    def list_dead_executors(self) -> list[ExecutorProcess]:
        """Those that are entered, and are not there any more (platform 10)."""
        now, watched = self._clock.now(), self._watched(executors := self.list_executors())
        return [
            each for each in executors if is_dead(each, now, self._here, watched=watched[each.id], lease=self._lease)
        ]

    def list_workers(self) -> list[Worker]:
        """All workers; those of a process that is gone are offline."""
        gone = {each.id for each in self.list_dead_executors()}
        found = [Worker.from_row(row) for row in self._store.read(queries.WORKERS, {"limit": _MOST})]
        return [_offline(each) if each.executor_id in gone else each for each in found]

    def _watched(self, executors: Sequence[ExecutorProcess]) -> dict[str, ObservedHeartbeat]:
        """What this process itself has seen of their heartbeats, by its own clock that nobody sets."""
        moment, before = self._clock.monotonic(), self._first_seen
        seen = {each.id: _seen(before.get(each.id), each.last_heartbeat, moment) for each in executors}
        self._first_seen = seen
        return {id_: watched._replace(seconds=moment - since) for id_, (watched, since) in seen.items()}


def _seen(before: tuple[ObservedHeartbeat, float] | None, beat: str, moment: float) -> tuple[ObservedHeartbeat, float]:
    """A heartbeat, and when it was first seen."""
    if before is not None and before[0].beat == beat:
        return before
    return ObservedHeartbeat(beat, has_changed=before is not None), moment


def _offline(worker: Worker) -> Worker:
    return worker.model_copy(update={"status": "offline", "current_job_id": None})
