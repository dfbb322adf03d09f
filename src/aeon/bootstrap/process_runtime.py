"""Running the Processes of a project's folder: the runs, the engine that the settings mean, and the workers."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple, Self
from uuid import uuid4

from aeon.adapters.results import FileResultStore
from aeon.base.clock import SystemClock
from aeon.base.errors import ConfigError
from aeon.bootstrap.engines import EngineLocation, EngineParts, engine_run_store, executor_of, open_engine, open_worker
from aeon.bootstrap.passwords import NO_PROJECT_KEYS
from aeon.bootstrap.platform import Platform
from aeon.bootstrap.runs import project_runs
from aeon.bootstrap.telemetry import open_span_sender
from aeon.platform.diagnosis import DiagnosisContext, ObstacleFinder
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.metrics import RunMetricsRecorder
from aeon.platform.runs.ports import Engine
from aeon.platform.runs.retention import PruneResult, RunRetention
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.schedules.starter import ScheduleStarter
from aeon.platform.store import StoreError
from aeon.platform.store_identity import RunStoreIdentity, claim_run_store, get_record_id, get_run_store, move_run_store
from aeon.platform.workers.availability import is_run_active, list_live_executors
from aeon.platform.workers.heartbeat import WorkerHeartbeat
from aeon.platform.workers.job_runner import make_cached_result_lookup, make_job_runner
from aeon.platform.workers.maintenance import OrphanRecovery, RunMaintenance
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.platform.workers.rate_limits.leases import ServiceLeaseStore
from aeon.platform.workers.rate_limits.limiter import RateLimiter
from aeon.platform.workers.registry import WorkerRegistry
from aeon.platform.workers.result_cache.repository import SqlResultCache
from aeon.settings import EngineSettings


class RunStoreAdoption(NamedTuple):
    """Where a record's runs were kept before, None for nowhere, where they are now, and how many have not ended."""

    previous: RunStoreIdentity | None
    current: RunStoreIdentity
    open_runs: int


class ProcessRuntime:
    """Everything that commands need to run Processes. A context manager; it does not close the platform."""

    def __init__(
        self,
        platform: Platform,
        project: Path,
        settings: EngineSettings,
        environ: Mapping[str, str],
        from_project: Mapping[str, Path] = NO_PROJECT_KEYS,
    ) -> None:
        self.platform = platform
        self.clock = SystemClock()
        self.results: ResultStore = FileResultStore(project / ".aeon" / "results")
        self.runs = project_runs(platform, project)
        self.registry = WorkerRegistry(platform.store, self.clock)
        self.executor = str(uuid4())
        self.run_executor = executor_of(settings, self.executor)
        self._settings = settings
        self._environ = environ
        self._location = EngineLocation(
            project,
            settings,
            environ,
            partial(get_record_id, platform.store),
            partial(claim_run_store, platform.store),
            from_project,
        )
        self._closers: list[Callable[[], None]] = []

    @cached_property
    def engine(self) -> Engine:
        """The engine, opened. Raises StoreError, MissingExtraError, ConfigError."""
        presence = self.heartbeat
        workers = self._workers(self._settings.slots, presence)
        parts = EngineParts(self.runs.repository, workers, self.results, self.clock)
        engine = open_engine(self._location, parts, self.executor)
        self._closers.append(engine.close)
        return engine

    @cached_property
    def heartbeat(self) -> WorkerHeartbeat:
        """This process among the workers, once it is begun."""
        presence = WorkerHeartbeat(self.registry, self.executor, self._settings.slots, self.clock)
        self._closers.append(presence.close)
        return presence

    @cached_property
    def cache(self) -> SqlResultCache:
        """What pure tools came to. Raises StoreError."""
        return SqlResultCache(self.platform.store, self.results, self.clock)

    @cached_property
    def orphan_recovery(self) -> OrphanRecovery:
        """What takes over runs that were left behind."""
        return OrphanRecovery(self.runs.repository, self.registry, self.engine, self.clock)

    @cached_property
    def schedules(self) -> ScheduleRepository:
        """When Processes are started by themselves. Raises StoreError."""
        return ScheduleRepository(self.platform.store, self.platform.catalog, self.platform.processes)

    @cached_property
    def run_maintenance(self) -> RunMaintenance:
        """What a worker for runs looks after."""
        starter = ScheduleStarter(self.schedules, self.platform.processes, self.runs, self.engine)
        return RunMaintenance(self.runs.repository, self.orphan_recovery, starter, self.clock, self.engine.executor)

    @cached_property
    def diagnosis(self) -> DiagnosisContext:
        """What says why a run does not go on."""
        platform = self.platform
        obstacles = ObstacleFinder(platform.store, platform.catalog.tools, platform.processes)
        return DiagnosisContext(platform.store, self.runs, self.registry, obstacles, self.clock, self.run_executor)

    @cached_property
    def run_measurement(self) -> RunMetricsRecorder:
        """What records the runs that have ended. Raises StoreError."""
        store, book = self.platform.store, self.runs.repository
        return RunMetricsRecorder(
            store, book, self.platform.metrics.values, open_span_sender(store, book, self.clock, self._environ)
        )

    def prune(self, days: int | None = None) -> PruneResult:
        """Remove runs that ended so many days ago, or as many as the settings keep; what they came to stays measured.

        Raises StoreError.
        """
        while self.run_measurement.record_pending():
            continue
        now = self.clock.now()
        before = datetime.fromisoformat(now) - timedelta(days=self._settings.keep_days if days is None else days)
        pruning = RunRetention(self.platform.store, self.results, self.engine.forget, self.clock.now)
        return pruning.prune(before.isoformat(timespec="microseconds"))

    def adopt_runs(self, *, is_dry: bool) -> "RunStoreAdoption":
        """Have the record's runs be kept where the settings say, since where they were is lost (measured E5).

        Raises ConfigError while a process carries out runs of the record, and for an engine that this is not about.
        """
        own, before = engine_run_store(self._location), get_run_store(self.platform.store)
        if own is None:
            raise ConfigError("Only runs in this folder or in PostgreSQL are adopted; these settings keep none there.")
        others = sorted(list_live_executors(self.registry))
        if others:
            raise ConfigError(
                f"Somebody is there for the runs of this record: {', '.join(others)}.",
                next_step="End these processes first; `aeon worker list` shows them.",
            )
        (row,) = self.platform.store.read(queries.OPEN_COUNT)
        if not is_dry and before is not None:
            move_run_store(self.platform.store, own)
        return RunStoreAdoption(before, own, row["number"])

    def start(self, types: Sequence[str] = ()) -> None:
        """Open the engine, and be there for all to see."""
        _ = self.engine
        self.heartbeat.start(types)

    def serve(self, types: Sequence[str]) -> None:
        """Be there for jobs of these types alone, of runs that go on elsewhere. Raises ConfigError, EngineError.

        Of a type that the settings leave to others, which this process is, there are as many workers as by default.
        """
        usual = EngineSettings().slots
        slots = {kind: self._settings.slots[kind] or usual[kind] for kind in types}
        presence = WorkerHeartbeat(self.registry, self.executor, slots, self.clock)
        self._closers.append(presence.close)
        workers = self._workers(slots, presence)
        presence.start(types)  # whoever is not entered is taken for gone
        worker = open_worker(
            self._location,
            workers,
            self.results,
            executor=self.executor,
            slots=slots,
            present=partial(list_live_executors, self.registry),
            is_wanted=partial(is_run_active, self.runs.repository),
        )
        self._closers.append(worker.close)

    def _workers(self, slots: Mapping[str, int], presence: WorkerHeartbeat) -> LocalWorkerPool:
        """They keep to limits, and use again what pure tools came to."""
        store = self.platform.store
        caller = self.platform.tool_caller.with_cache(self.cache)
        limiting = RateLimiter(ServiceLeaseStore(store, self.registry, self.clock, self.executor), self.clock)
        return LocalWorkerPool(
            make_job_runner(caller), slots, presence, limiting, known=make_cached_result_lookup(caller)
        )

    def close(self) -> None:
        """Stop where everything stands; what has ended is recorded by then, or by whoever comes next."""
        try:
            if self._closers:
                with suppress(StoreError):
                    self.run_measurement.record_pending()
        finally:
            for close in reversed(self._closers):
                close()
            self._closers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
