"""Registers this process and its workers, and sends heartbeats every 30 s."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from aeon.base.clock import Clock, since_boot
from aeon.base.loggers import room_logger
from aeon.platform.runs.model import HEARTBEAT_INTERVAL, Job
from aeon.platform.store import StoreError
from aeon.platform.workers.capabilities import Capabilities
from aeon.platform.workers.registry import NO_JOB, Worker, WorkerRegistry

_LOG = room_logger("workers")

_WRITE_INTERVAL = 1.0
"""Minimum seconds between two writes of the workers' states."""


class WorkerHeartbeat:
    """Publishes what the workers of this process do. Thread-safe."""

    def __init__(
        self,
        registry: WorkerRegistry,
        executor: str,
        slots: Mapping[str, int],
        clock: Clock,
        *,
        interval: float = HEARTBEAT_INTERVAL,
        since_boot: Callable[[], float] = since_boot,
        capabilities: Capabilities = Capabilities(),  # noqa: B008  # immutable
    ) -> None:
        """Publish also what this process can execute.

        `interval` is in seconds of `since_boot`, which also runs while the machine sleeps.
        """
        self._interval = interval
        self._since_boot = since_boot
        self._registry = registry
        self._executor = executor
        self._slots = slots
        self._capabilities = capabilities
        self._clock = clock
        self._lock = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self._changed: set[str] = set()
        self._types: Sequence[str] = ()
        self._is_draining = False
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, types: Sequence[str] = ()) -> None:
        """Register this process. `types` are the queues that it serves for other processes."""
        self._types = types
        self._register()
        self._thread = threading.Thread(target=self._run, name="aeon-presence", daemon=True)
        self._thread.start()

    def is_asked_to_drain(self) -> bool:
        """Return whether somebody asked this process to drain; False while the record does not answer."""
        with suppress(StoreError):
            return self._registry.is_draining(self._executor)
        return False

    def drain(self) -> None:
        """Show that this process drains, also if the record does not answer now."""
        self._is_draining = True
        with suppress(StoreError):  # it is shown with the next registration
            self._registry.mark_draining(self._executor)

    def job_started(self, job: Job) -> str:
        """Assign a job to an idle worker and return its id; empty if all workers are busy."""
        with self._lock:
            for worker in self._workers.values():
                if worker.type == job.worker and worker.status == "idle":
                    self._change(
                        worker,
                        status="busy",
                        current_job_id=job.id,
                        current_process_id=job.process or None,
                        current_step_id=job.step,
                        current_tool_id=job.tool,
                    )
                    return worker.id
        return ""

    def job_ended(self, worker: str, *, failed: bool) -> None:
        """Mark a worker as idle, and count its job."""
        with self._lock:
            if (current := self._workers.get(worker)) is not None:
                counts = {"processed_count": current.processed_count + 1, "error_count": current.error_count + failed}
                self._change(current, status="idle", **NO_JOB, **counts)

    def close(self) -> None:
        """Deregister this process. Calling it again does nothing."""
        if self._thread is None:
            return
        self._stopped.set()
        self._thread.join()
        self._thread = None
        with suppress(StoreError):  # another process deregisters it once it is dead
            self._registry.deregister(self._executor)

    def _register(self) -> None:
        workers = self._registry.register(self._executor, self._slots, self._types, self._capabilities)
        if self._is_draining:
            self._registry.mark_draining(self._executor)
        with self._lock:
            for worker in workers:
                self._workers.setdefault(worker.id, worker)

    def _change(self, worker: Worker, **fields: object) -> None:
        self._workers[worker.id] = worker.model_copy(update={**fields, "updated_at": self._clock.now()})
        self._changed.add(worker.id)

    def _run(self) -> None:
        last, clock_offset = self._since_boot(), self._clock_offset()
        while not self._stopped.wait(min(_WRITE_INTERVAL, self._interval / 2)):
            clock_was_set = abs(self._clock_offset() - clock_offset) > self._interval
            is_due = clock_was_set or self._since_boot() - last >= self._interval
            is_sent = self._send(everything=is_due)
            if is_sent:
                last, clock_offset = self._since_boot(), self._clock_offset()

    def _clock_offset(self) -> float:
        """Return the wall clock minus the boot clock, which changes if the wall clock is set.

        After a change the last heartbeat may look too old.
        """
        return datetime.fromisoformat(self._clock.now()).timestamp() - self._since_boot()

    def _send(self, *, everything: bool) -> bool:
        with self._lock:
            ids = list(self._workers) if everything else list(self._changed)
            self._changed.clear()
            workers = [self._workers[each] for each in ids]
        if not workers and not everything:
            return False
        try:
            if not self._registry.heartbeat(self._executor, workers):
                _LOG.warning(
                    "This process sent no heartbeat for too long and was removed: others may have adopted its runs."
                )
                self._register()  # for new work; the leases of current work are checked one by one
        except StoreError:
            with self._lock:
                self._changed.update(ids)
            return False
        return True
