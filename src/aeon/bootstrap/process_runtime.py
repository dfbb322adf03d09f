"""The runtime of a project's Processes: the runs, the engine of the settings, and the workers."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, NamedTuple, Self
from uuid import uuid4

from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError, ConfigError
from aeon.base.next_steps import NextStep
from aeon.bootstrap.capabilities import own_capabilities
from aeon.bootstrap.engines import (
    EngineLocation,
    EngineParts,
    JobServer,
    engine_run_store,
    executor_of,
    open_engine,
    open_worker,
    reach_engine,
)
from aeon.bootstrap.passwords import NO_PROJECT_KEYS
from aeon.bootstrap.platform import Platform
from aeon.bootstrap.runs import platform_runs
from aeon.llm.usage import NO_PRICES, Prices
from aeon.platform.catalog.needs import is_operations
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.model import Job
from aeon.platform.runs.news import RunNews
from aeon.platform.runs.ports import Engine, EngineUnavailableError
from aeon.platform.store import StoreError
from aeon.platform.store_identity import RunStoreIdentity, claim_run_store, get_record_id, get_run_store, move_run_store
from aeon.platform.workers.availability import is_offered, is_run_active, list_live_executors
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WORKER_TYPES, WorkerRegistry
from aeon.settings import EngineSettings

if TYPE_CHECKING:
    from aeon.adapters.telemetry.prometheus_endpoint import WorkerLoad
    from aeon.platform.diagnosis import DiagnosisContext
    from aeon.platform.runs.metrics import RunMetricsRecorder
    from aeon.platform.runs.retention import PruneResult
    from aeon.platform.runs.span_export import SpanExportQueue
    from aeon.platform.schedules.repository import ScheduleRepository
    from aeon.platform.workers.heartbeat import WorkerHeartbeat
    from aeon.platform.workers.maintenance import OrphanRecovery, RunMaintenance
    from aeon.platform.workers.pool import LocalWorkerPool
    from aeon.platform.workers.result_cache.repository import SqlResultCache


_ADOPTED_RUN_SECONDS = 5.0
"""Seconds that erasing waits for a run that it has adopted."""


class RunStoreAdoption(NamedTuple):
    """Where a record's runs were kept before (None: nowhere) and are now, and the number of open runs."""

    previous: RunStoreIdentity | None
    current: RunStoreIdentity
    open_runs: int


_TEMPORAL_STORE = RunStoreIdentity(SELF_RECOVERING_EXECUTOR, "Temporal")


class ProcessRuntime:
    """Everything that commands need to run Processes; each part is loaded at its first use.

    A context manager; it does not close the platform.
    """

    def __init__(
        self,
        platform: Platform,
        project: Path,
        settings: EngineSettings,
        environ: Mapping[str, str],
        from_project: Mapping[str, Path] = NO_PROJECT_KEYS,
        prices: Prices = NO_PRICES,
    ) -> None:
        self.platform = platform
        self.prices = prices
        self.clock = SystemClock()
        self.results: ResultStore = platform.results
        self.runs = platform_runs(platform)
        self.news = RunNews(self.runs.repository.count_entries, self.runs.notifier)
        self.registry = WorkerRegistry(platform.store, self.clock)
        self.executor = str(uuid4())
        self.grace = 0.0
        """The seconds for which `drain` waits; to be set before the start."""
        self.run_executor = executor_of(settings, self.executor)
        self.capabilities = own_capabilities(settings)
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
        self._pool: LocalWorkerPool | None = None
        self._presence: WorkerHeartbeat | None = None
        self._served: Engine | JobServer | None = None
        self._starting = Lock()
        self._is_started = False

    @cached_property
    def engine(self) -> Engine:
        """The engine, opened at its first use. Raises StoreError, MissingExtraError, ConfigError."""
        presence = self.heartbeat
        workers = self._workers(self._settings.slots, presence)
        repository, results, clock = self.runs.repository, self.results, self.clock
        parts = EngineParts(repository, workers, results, clock, self.capabilities, self._executes_itself)
        engine = open_engine(self._location, parts, self.executor, self.grace)
        self._served = engine
        self._closers.append(engine.close)
        return engine

    @cached_property
    def heartbeat(self) -> "WorkerHeartbeat":
        """The heartbeat that registers this process as a worker, once it is started."""
        from aeon.platform.workers.heartbeat import WorkerHeartbeat

        presence = WorkerHeartbeat(
            self.registry, self.executor, self._settings.slots, self.clock, capabilities=self.capabilities
        )
        self._presence = presence
        self._closers.append(presence.close)
        return presence

    @cached_property
    def cache(self) -> "SqlResultCache":
        """The cached results of pure tools. Raises StoreError."""
        from aeon.platform.workers.result_cache.repository import SqlResultCache

        return SqlResultCache(self.platform.store, self.results, self.clock)

    @cached_property
    def orphan_recovery(self) -> "OrphanRecovery":
        """The recovery of orphaned runs."""
        from aeon.platform.workers.maintenance import OrphanRecovery

        repository, language = self.runs.repository, self.capabilities.language
        return OrphanRecovery(repository, self.registry, self.engine, self.clock, language=language)

    @cached_property
    def schedules(self) -> "ScheduleRepository":
        """The schedules of Processes. Raises StoreError."""
        from aeon.platform.schedules.repository import ScheduleRepository

        return ScheduleRepository(self.platform.store, self.platform.catalog, self.platform.processes)

    @cached_property
    def run_maintenance(self) -> "RunMaintenance":
        """The periodic maintenance of a worker for runs."""
        from aeon.platform.alerts.evaluator import AlertEvaluator
        from aeon.platform.alerts.repository import AlertRepository
        from aeon.platform.runs.reminders import ReminderStarter
        from aeon.platform.schedules.starter import ScheduleStarter
        from aeon.platform.workers.maintenance import RunMaintenance, RunStarters

        platform, engine = self.platform, self.engine
        alerts = AlertRepository(platform.store, platform.catalog, platform.processes, platform.metrics)
        starters = RunStarters(
            ScheduleStarter(self.schedules, platform.processes, self.runs, engine),
            ReminderStarter(platform.store, self.runs),
            AlertEvaluator(alerts, platform.processes, self.runs, engine),
        )
        return RunMaintenance(self.runs.repository, self.orphan_recovery, starters, self.clock, engine.executor)

    @cached_property
    def diagnosis(self) -> "DiagnosisContext":
        """The context for explaining why a run does not progress."""
        from aeon.platform.diagnosis import DiagnosisContext, ObstacleFinder

        platform = self.platform
        obstacles = ObstacleFinder(platform.store, platform.catalog.tools, platform.processes)
        return DiagnosisContext(
            platform.store, self.runs, self.registry, obstacles, self.clock, self.run_executor, self.find_outage
        )

    def find_outage(self) -> AeonError | None:
        """Return the error of an engine on a server of its own that cannot be reached; None for any other engine."""
        if self.run_executor != SELF_RECOVERING_EXECUTOR:
            return None
        location = self._location
        try:
            reach_engine(location.project, location.settings, location.environ, location.from_project)
        except AeonError as error:
            return error
        return None

    @cached_property
    def run_measurement(self) -> "RunMetricsRecorder":
        """The recorder of metrics of ended runs, and of spans. Raises StoreError."""
        from aeon.platform.runs.metrics import RunMetricsRecorder

        store, book = self.platform.store, self.runs.repository
        return RunMetricsRecorder(store, book, self.platform.metrics.values, self._span_exports)

    @cached_property
    def _span_exports(self) -> "SpanExportQueue | None":
        from aeon.bootstrap.telemetry import open_span_sender

        store, book = self.platform.store, self.runs.repository
        return open_span_sender(store, book, self.clock, self._environ, self.run_executor)

    def prune(self, days: int | None = None) -> "PruneResult":
        """Delete runs that ended `days` days ago (None: keep_days of the settings); their metrics are kept.

        Raises StoreError.
        """
        from aeon.platform.runs.retention import RunRetention

        while self.run_measurement.record_pending():
            continue
        now = self.clock.now()
        before = datetime.fromisoformat(now) - timedelta(days=self._settings.keep_days if days is None else days)
        pruning = RunRetention(self.platform.store, self.results, self.engine.forget, self.clock.now)
        return pruning.prune(before.isoformat(timespec="microseconds"))

    def erase_runs(self, runs: Sequence[str]) -> list[str]:
        """Erase all that is kept of runs, but their metrics; return those that have not ended, which stay.

        A run whose process has died is adopted, and has a few seconds to end. Raises StoreError and
        EngineUnavailableError.
        """
        from aeon.platform.runs.erasing import RunErasing

        while self.run_measurement.record_pending():
            continue
        erasing = RunErasing(self.platform.store, self.results, self.engine.erase, self.clock.now)
        if left := erasing.erase(runs):
            self.start()
            adopted = [each.id for run in left for each in self.orphan_recovery.adopt(run)]
            ended = [self.engine.wait(run, _ADOPTED_RUN_SECONDS) for run in adopted]
            left = erasing.erase(left) if any(ended) else left
        return left

    def adopt_runs(self, *, is_dry: bool) -> "RunStoreAdoption":
        """Move the record's runs to the engine of the settings, because the one that kept them is lost or was left.

        Raises ConfigError while a process executes runs of the record, and for an engine without a run store.
        """
        own, before = engine_run_store(self._location), get_run_store(self.platform.store)
        if own is None:
            raise ConfigError(
                "Only runs kept in this folder or in PostgreSQL can be adopted; these settings keep runs elsewhere."
            )
        others = sorted(list_live_executors(self.registry))
        if others:
            raise ConfigError(
                f"Other processes execute runs of this record: {', '.join(others)}.",
                next_step=NextStep("workers.stop"),
            )
        (row,) = self.platform.store.read(queries.OPEN_COUNT)
        on_temporal = self.runs.repository.list_by_executor(SELF_RECOVERING_EXECUTOR)
        if not is_dry and before is not None:
            move_run_store(self.platform.store, own)
        if not is_dry:
            for run in on_temporal:
                self.runs.repository.reassign(run, SELF_RECOVERING_EXECUTOR, self.executor)
        return RunStoreAdoption(_TEMPORAL_STORE if on_temporal else before, own, row["number"])

    def start(self, types: Sequence[str] = ()) -> None:
        """Open the engine, start the heartbeat and export spans as runs go on; calling it again does nothing."""
        with self._starting:
            if not self._is_started:
                _ = self.engine
                self.heartbeat.start(types)
                self._export_spans()
                self._is_started = True

    def _export_spans(self) -> None:
        if (exports := self._span_exports) is not None:
            stopping = Event()
            self._closers.append(stopping.set)
            Thread(target=exports.export_until, args=(stopping,), name="aeon-spans", daemon=True).start()

    def serve(self, types: Sequence[str]) -> None:
        """Serve only jobs of these types, of runs that execute elsewhere. Raises ConfigError, EngineError.

        A type that the settings leave to other processes (0 slots) gets the default number of slots here.
        """
        from aeon.platform.workers.heartbeat import WorkerHeartbeat

        default_slots = EngineSettings().slots
        slots = {kind: self._settings.slots[kind] or default_slots[kind] for kind in types}
        presence = WorkerHeartbeat(self.registry, self.executor, slots, self.clock, capabilities=self.capabilities)
        self._closers.append(presence.close)
        workers = self._workers(slots, presence)
        presence.start(types)  # before the worker: an unregistered executor counts as dead
        worker = open_worker(
            self._location,
            workers,
            self.results,
            executor=self.executor,
            slots=slots,
            live_executors=partial(list_live_executors, self.registry),
            is_wanted=partial(is_run_active, self.runs.repository),
            grace=self.grace,
            capabilities=self.capabilities,
        )
        self._presence, self._served = presence, worker
        self._closers.append(worker.close)

    @property
    def is_asked_to_drain(self) -> bool:
        """Whether somebody asked this process to drain (`aeon serve worker drain`)."""
        return self._presence is not None and self._presence.is_asked_to_drain()

    def drain(self) -> int:
        """Take no job or run from now on, and wait for the executed jobs as long as the grace lasts.

        Return how many have not ended; `close` leaves them and all runs to other processes.
        """
        if self._presence is not None:
            self._presence.drain()
        return 0 if self._served is None else self._served.drain(self.grace)

    def _executes_itself(self, job: Job) -> bool:
        """Return whether runs here execute a job themselves. Raises StoreError.

        One whose operation no live process knows is executed here, too, and its failure names the missing extra.
        """
        missing = self.capabilities.missing(job.needs)
        return not missing or (is_operations(missing) and not is_offered(self.registry, job.needs))

    def _workers(self, slots: Mapping[str, int], presence: "WorkerHeartbeat") -> "LocalWorkerPool":
        """Return the worker pool, with rate limits and the result cache."""
        from aeon.platform.workers.job_runner import make_cached_result_lookup, make_job_runner
        from aeon.platform.workers.pool import LocalWorkerPool
        from aeon.platform.workers.rate_limits.leases import ServiceLeaseStore
        from aeon.platform.workers.rate_limits.limiter import RateLimiter

        store = self.platform.store
        caller = self.platform.tool_caller.with_cache(self.cache)
        leases = ServiceLeaseStore(store, self.registry, self.clock, self.executor)
        runner, known = make_job_runner(caller, leases.await_turn), make_cached_result_lookup(caller)
        self._pool = LocalWorkerPool(runner, slots, presence, RateLimiter(leases, self.clock), known=known)
        return self._pool

    def serve_metrics(self, address: str) -> str:
        """Answer Prometheus at `HOST:PORT` until this is closed; return where.

        Raises ConfigError, MissingExtraError.
        """
        from aeon.adapters.telemetry.prometheus_endpoint import MetricsEndpoint

        endpoint = MetricsEndpoint(self._load)
        where = endpoint.open(address)
        self._closers.append(endpoint.close)
        self.run_measurement.observers.append(endpoint.observe)
        return where

    def _load(self) -> "WorkerLoad":
        """Return what waits now. Raises StoreError."""
        from aeon.adapters.telemetry.prometheus_endpoint import OpenRuns, WorkerLoad

        now, repository = datetime.fromisoformat(self.clock.now()), self.runs.repository

        def age(at: str | None) -> float:
            return 0.0 if at is None else max(0.0, (now - datetime.fromisoformat(at)).total_seconds())

        live = {*list_live_executors(self.registry), SELF_RECOVERING_EXECUTOR}
        open_runs = [OpenRuns(phase, number, age(oldest)) for phase, number, oldest in repository.count_open()]
        waiting = {} if self._pool is None else {kind: self._pool.queue_length(kind) for kind in WORKER_TYPES}
        since: dict[str, float] = {}
        with suppress(EngineUnavailableError):  # the values of the record are still reported
            since = {} if self._served is None else self._served.queued_since(WORKER_TYPES)
        backlog = {kind: max(0.0, now.timestamp() - since[kind]) if kind in since else 0.0 for kind in WORKER_TYPES}
        return WorkerLoad(open_runs, {"process": age(repository.oldest_orphan(live)), **backlog}, waiting)

    def close(self) -> None:
        """Stop without waiting for runs; record the ended ones, or leave that to the next process."""
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
