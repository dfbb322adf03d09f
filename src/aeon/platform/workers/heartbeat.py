"""This process among the workers: entered, heard of every 30 s, and taken out when it ends."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from aeon.base.clock import Clock, since_boot
from aeon.platform.runs.model import HEARTBEAT_INTERVAL
from aeon.platform.store import StoreError
from aeon.platform.workers.registry import Worker, WorkerRegistry

_LOG = logging.getLogger("aeon.workers")

_TELLS_EVERY = 1.0
"""Seconds between two times at which what the workers do is written, at most."""


class WorkerHeartbeat:
    """What the workers of this process do, for all to see. Threads may share it."""

    def __init__(
        self,
        registry: WorkerRegistry,
        executor: str,
        slots: Mapping[str, int],
        clock: Clock,
        *,
        beats_every: float = HEARTBEAT_INTERVAL,
        since_boot: Callable[[], float] = since_boot,
    ) -> None:
        """Sends a heartbeat every `beats_every` seconds of `since_boot`, a clock that also runs while asleep."""
        self._beats_every = beats_every
        self._since_boot = since_boot
        self._registry = registry
        self._executor = executor
        self._slots = slots
        self._clock = clock
        self._lock = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self._changed: set[str] = set()
        self._types: Sequence[str] = ()
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, types: Sequence[str] = ()) -> None:
        """Enter this process. `types` are the queues that it serves for others."""
        self._types = types
        self._enter()
        self._thread = threading.Thread(target=self._beat, name="aeon-presence", daemon=True)
        self._thread.start()

    def job_started(self, kind: str, job: str) -> str:
        """The worker that takes a job now; empty when more are carried out than there are workers."""
        with self._lock:
            for worker in self._workers.values():
                if worker.type == kind and worker.status == "idle":
                    self._change(worker, status="busy", current_job_id=job)
                    return worker.id
        return ""

    def job_ended(self, worker: str, *, failed: bool) -> None:
        """Its job is over."""
        with self._lock:
            if (was := self._workers.get(worker)) is not None:
                counts = {"processed_count": was.processed_count + 1, "error_count": was.error_count + failed}
                self._change(was, status="idle", current_job_id=None, **counts)

    def close(self) -> None:
        """Take this process out. Twice is once."""
        if self._thread is None:
            return
        self._ends.set()
        self._thread.join()
        self._thread = None
        with suppress(StoreError):  # whoever finds it gone takes it out
            self._registry.deregister(self._executor)

    def _enter(self) -> None:
        entered = self._registry.register(self._executor, self._slots, self._types)
        with self._lock:
            for worker in entered:
                self._workers.setdefault(worker.id, worker)

    def _change(self, worker: Worker, **fields: object) -> None:
        self._workers[worker.id] = worker.model_copy(update={**fields, "updated_at": self._clock.now()})
        self._changed.add(worker.id)

    def _beat(self) -> None:
        last, set_to = self._since_boot(), self._set_to()
        while not self._ends.wait(min(_TELLS_EVERY, self._beats_every / 2)):
            was_set = abs(self._set_to() - set_to) > self._beats_every  # by the new time it would seem silent
            is_due = was_set or self._since_boot() - last >= self._beats_every
            changed = self._told(everything=is_due)
            if changed:
                last, set_to = self._since_boot(), self._set_to()

    def _set_to(self) -> float:
        """What stays the same for as long as nobody sets the machine's clock."""
        return datetime.fromisoformat(self._clock.now()).timestamp() - self._since_boot()

    def _told(self, *, everything: bool) -> bool:
        with self._lock:
            ids = list(self._workers) if everything else list(self._changed)
            self._changed.clear()
            workers = [self._workers[each] for each in ids]
        if not workers and not everything:
            return False
        try:
            if not self._registry.heartbeat(self._executor, workers):
                _LOG.warning("This process was silent for so long that others took it out: its runs may be theirs now.")
                self._enter()  # for what it begins from now on: its leases are asked for one by one
        except StoreError:
            with self._lock:
                self._changed.update(ids)
            return False
        return True
