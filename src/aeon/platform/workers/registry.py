"""The registry of executor processes and their workers, kept alive by heartbeats."""

import os
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import Field

from aeon.base.clock import Clock
from aeon.base.json import JsonObject
from aeon.platform.records import Record
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT
from aeon.platform.store import Store, UnitOfWork
from aeon.platform.workers import queries
from aeon.platform.workers.capabilities import Capabilities

WorkerStatus: TypeAlias = Literal["idle", "busy", "draining", "offline"]
"""A draining worker takes no new job; it may still execute one, which `current_job_id` names."""

WORKER_TYPES = ("graph_query", "rest_api", "llm_call", "mcp_server")
"""The types of workers that execute jobs. `process` and `human` are queues without workers.

Runs are executed by executors, and questions are answered by users.
"""

SELF_RECOVERING_EXECUTOR = "temporal"
"""The executor of runs on an engine that recovers the work of dead processes by itself."""


class Worker(Record):
    """Executes one job of its type at a time. Only the system writes `status` and later fields.

    A busy worker has the step of its job, with the Process of its run, and the tool. The labels and the Aeon version
    are those of its process.
    """

    stored_as_text: ClassVar[frozenset[str]] = frozenset({"labels"})

    id: str
    type: str
    status: WorkerStatus = "idle"
    current_job_id: str | None = None
    current_process_id: str | None = None
    current_step_id: str | None = None
    current_tool_id: str | None = None
    last_heartbeat: str
    processed_count: int = Field(default=0, ge=0)
    error_count: int = Field(default=0, ge=0)
    created_at: str
    updated_at: str
    executor_id: str
    labels: list[str] = Field(default=[])
    aeon_version: str = ""


NO_JOB: Mapping[str, None] = {
    "current_job_id": None,
    "current_process_id": None,
    "current_step_id": None,
    "current_tool_id": None,
}
"""The fields of a worker that is not busy."""


class ExecutorProcess(Record):
    """A process that executes runs or jobs. `birth` and `pid` identify it.

    `types` are the queues that it serves for other processes; with `process` among them it adopts runs, too. Since
    `draining_since` it takes no new job or run. `labels`, `aeon_version`, `operations` and `language` are what it can
    execute (`Capabilities`).
    """

    stored_as_text: ClassVar[frozenset[str]] = frozenset({"types", "labels", "operations"})

    id: str
    host: str
    pid: int
    birth: str
    started_at: str
    last_heartbeat: str
    types: list[str] = Field(default=[])
    draining_since: str | None = None
    labels: list[str] = Field(default=[])
    aeon_version: str = ""
    operations: list[str] = Field(default=[])
    language: int = 1

    @property
    def capabilities(self) -> Capabilities:
        """What it can execute."""
        return Capabilities(tuple(self.labels), tuple(self.operations), self.language, self.aeon_version)

    @property
    def host_name(self) -> str:
        """The name of its machine, without the boot that `host` names, too."""
        return self.host.partition("/")[0]


class ProcessIdentity(NamedTuple):
    """The identity of this process."""

    host: str
    pid: int
    start_time: str


def current_process() -> ProcessIdentity:
    """Return the host name and boot id, the pid, and the start time of this process."""
    return ProcessIdentity(_host(), os.getpid(), _start_time(os.getpid()) or "")


def is_process_running(pid: int, birth: str) -> bool:
    """Return whether that process is running here, and is not a later one with its pid."""
    start_time = _start_time(pid)
    return start_time is not None and birth in ("", start_time)


class ObservedHeartbeat(NamedTuple):
    """How long the same heartbeat of a process was observed, and whether it changed before."""

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
    """Return whether an executor is dead: no heartbeat for a lease, or seen to have ended.

    Platform 10. Local observations count more than timestamps, which may be off if clocks were set or differ between
    machines.
    """
    if executor.host == here.host and not is_running(executor.pid, executor.birth):
        return True
    if watched is not None and (watched.has_changed or watched.seconds > lease):
        return watched.seconds > lease
    silence = datetime.fromisoformat(now) - datetime.fromisoformat(executor.last_heartbeat)
    return silence.total_seconds() > lease


def _host() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}"


def _start_time(pid: int) -> str | None:
    """Return the start time of a process in its system's units; None if it is gone or a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self/stat").exists() else _start_time_without_proc(pid)
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else fields[19]


def _start_time_without_proc(pid: int) -> str | None:
    """Return "" for a running process on a system without /proc, which has no start time."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return ""
    return ""


_MAX_ROWS = 10_000


class WorkerRegistry:
    """The executors and workers of one record. Thread-safe. All methods raise StoreError."""

    def __init__(self, store: Store, clock: Clock, lease: float = HEARTBEAT_TIMEOUT) -> None:
        """A process that sends no heartbeat for `lease` seconds is considered dead."""
        self._store = store
        self._clock = clock
        self._lease = lease
        self._here = current_process()
        self._observations: dict[str, tuple[ObservedHeartbeat, float]] = {}

    def register(
        self,
        executor: str,
        slots: Mapping[str, int],
        types: Sequence[str],
        capabilities: Capabilities = Capabilities(),  # noqa: B008  # immutable
    ) -> list[Worker]:
        """Register this process with idle workers, as many as `slots` says for each type.

        `types` are the queues that it serves for other processes.
        """
        labels, operations, language, version = capabilities
        now = self._clock.now()
        here = ExecutorProcess(
            id=executor,
            host=self._here.host,
            pid=self._here.pid,
            birth=self._here.start_time,
            started_at=now,
            last_heartbeat=now,
            types=list(types),
            labels=list(labels),
            aeon_version=version,
            operations=list(operations),
            language=language,
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
        """Send a heartbeat with the workers' states; False if this process was removed as dead."""
        now = self._clock.now()
        rows = [each.as_row() | {"last_heartbeat": now} for each in workers]

        def work(unit: UnitOfWork) -> bool:
            if not unit.write(queries.BEAT, {"id": executor, "at": now}):
                return False
            unit.write_each(queries.BEAT_WORKER, rows)
            return True

        return self._store.update(work)

    def deregister(self, executor: str) -> None:
        """Remove a process that has ended, and its workers."""
        self._store.update(lambda unit: unit.write(queries.RETIRE, {"id": executor}))

    def deregister_dead(self, executor: ExecutorProcess) -> None:
        """Remove a dead process and its workers, unless it sent a heartbeat since it was read."""
        seen: JsonObject = {"id": executor.id, "last_heartbeat": executor.last_heartbeat}
        self._store.update(lambda unit: unit.write(queries.RETIRE_SILENT, seen))

    def drain(self, executors: Sequence[str], unit: UnitOfWork) -> None:
        """Ask processes to drain, in a unit of work. One that drains already goes on as it does."""
        now = self._clock.now()
        unit.write_each(queries.DRAIN, [{"id": each, "at": now} for each in executors])

    def mark_draining(self, executor: str) -> None:
        """Record that this process drains."""
        self._store.update(lambda unit: self.drain([executor], unit))

    def is_draining(self, executor: str) -> bool:
        """Return whether a process was asked to drain."""
        return bool(self._store.read(queries.IS_DRAINING, {"id": executor}))

    def list_executors(self) -> list[ExecutorProcess]:
        """Return all registered executors, alive or dead."""
        return [ExecutorProcess.from_row(row) for row in self._store.read(queries.EXECUTORS, {"limit": _MAX_ROWS})]

    def list_dead_executors(self) -> list[ExecutorProcess]:
        """Return registered executors that are dead (platform 10)."""
        now, observed = self._clock.now(), self._observe(executors := self.list_executors())
        return [
            each for each in executors if is_dead(each, now, self._here, watched=observed[each.id], lease=self._lease)
        ]

    def list_workers(self) -> list[Worker]:
        """Return all workers; those of a dead process are offline, and those of a draining one are draining."""
        dead = {each.id for each in self.list_dead_executors()}
        executors = {each.id: each for each in self.list_executors()}
        workers = [Worker.from_row(row) for row in self._store.read(queries.WORKERS, {"limit": _MAX_ROWS})]
        return [_as_shown(each, executors.get(each.executor_id), dead) for each in workers]

    def _observe(self, executors: Sequence[ExecutorProcess]) -> dict[str, ObservedHeartbeat]:
        """Return what this process has observed of their heartbeats, by its own monotonic clock."""
        instant, before = self._clock.monotonic(), self._observations
        observed = {each.id: _observed(before.get(each.id), each.last_heartbeat, instant) for each in executors}
        self._observations = observed
        return {id_: watched._replace(seconds=instant - since) for id_, (watched, since) in observed.items()}


def _observed(
    before: tuple[ObservedHeartbeat, float] | None, beat: str, instant: float
) -> tuple[ObservedHeartbeat, float]:
    """Return a heartbeat, and when it was first observed."""
    if before is not None and before[0].beat == beat:
        return before
    return ObservedHeartbeat(beat, has_changed=before is not None), instant


def _as_shown(worker: Worker, executor: ExecutorProcess | None, dead: Collection[str]) -> Worker:
    if executor is None or executor.id in dead:
        return worker.model_copy(update={"status": "offline", **NO_JOB})
    shown: dict[str, object] = {"labels": executor.labels, "aeon_version": executor.aeon_version}
    if executor.draining_since is not None:
        shown["status"] = "draining"
    return worker.model_copy(update=shown)
