"""The processes and workers that there are, as they say themselves."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import Field

from aeon.base.clock import Clock
from aeon.platform.records import Record
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT
from aeon.platform.store import Store, UnitOfWork
from aeon.platform.workers import queries

WorkerStatus: TypeAlias = Literal["idle", "busy", "offline"]

WORKER_TYPES = ("graph_query", "rest_api", "llm_call", "mcp_server")
"""Of workers that carry out jobs. `process` and `human` are queues without workers of their own: a run is carried out
by an executor, and a question by whoever answers it."""

SELF_RECOVERING_EXECUTOR = "temporal"
"""Who carries out the runs of an engine that hands a dead process's work on by itself."""


class Worker(Record):
    """Carries out one job at a time, of one type. `status` and all that follows it the system alone writes."""

    id: str
    type: str
    status: WorkerStatus = "idle"
    current_job_id: str | None = None
    last_heartbeat: str
    processed_count: int = Field(default=0, ge=0)
    error_count: int = Field(default=0, ge=0)
    created_at: str
    updated_at: str
    executor_id: str


class ExecutorProcess(Record):
    """A process that carries out runs or jobs. `birth` tells it from a later process with the same number.

    `types` are the queues that it serves for others, `process` among them when it takes over runs, too.
    """

    stored_as_text: ClassVar[frozenset[str]] = frozenset({"types"})

    id: str
    host: str
    pid: int
    birth: str
    started_at: str
    last_heartbeat: str
    types: list[str] = Field(default=[])


class ProcessIdentity(NamedTuple):
    """Where this is."""

    host: str
    pid: int
    start_time: str


def current_process() -> ProcessIdentity:
    """The machine's name and boot, the process's number, and when it began."""
    return ProcessIdentity(_host(), os.getpid(), _birth(os.getpid()) or "")


def is_process_running(pid: int, birth: str) -> bool:
    """Whether that process of this machine is there, and is no later one with its number."""
    found = _birth(pid)
    return found is not None and birth in ("", found)


class ObservedHeartbeat(NamedTuple):
    """For how many seconds this process has seen the same heartbeat of another one, and whether it saw one before."""

    beat: str
    seconds: float = 0.0
    has_changed: bool = False


def is_dead(
    executor: ExecutorProcess,
    now: str,
    here: ProcessIdentity,
    is_running: Callable[[int, str], bool] = is_process_running,
    watched: ObservedHeartbeat | None = None,
    lease: float = HEARTBEAT_TIMEOUT,
) -> bool:
    """Whether its work is to be taken over: a lease without a heartbeat (platform 10), or seen to have ended here.

    What was seen here counts more than what clocks say, which may have been set since, or differ between machines.
    """
    if executor.host == here.host and not is_running(executor.pid, executor.birth):
        return True
    if watched is not None and (watched.has_changed or watched.seconds > lease):
        return watched.seconds > lease
    silent = datetime.fromisoformat(now) - datetime.fromisoformat(executor.last_heartbeat)
    return silent.total_seconds() > lease


def _host() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}"


def _birth(pid: int) -> str | None:
    """When a process began, as its system counts; None when there is no such process, or only what is left of it."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self/stat").exists() else _birth_elsewhere(pid)
    fields = said.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else fields[19]


def _birth_elsewhere(pid: int) -> str | None:
    """Where the system has no /proc, only whether there is one is known."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return ""
    return ""


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
