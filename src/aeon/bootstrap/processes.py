"""Running the Processes of a project's folder: the runs, the engine that the settings mean, and the workers."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple, Self
from uuid import uuid4

from aeon.adapters.results import FileResults
from aeon.base.clock import SystemClock
from aeon.base.errors import ConfigError
from aeon.bootstrap.engines import Parts, Place, executor_of, open_engine, open_worker, run_store
from aeon.bootstrap.passwords import NOTHING_FROM_PROJECT
from aeon.bootstrap.platform import Platform
from aeon.bootstrap.runs import runs_of
from aeon.bootstrap.telemetry import span_sending
from aeon.platform.identity import RunStore, claim_run_store, mark_of, move_run_store, run_store_of
from aeon.platform.processes.runs import queries
from aeon.platform.processes.runs.claims import Results
from aeon.platform.processes.runs.engine import Engine
from aeon.platform.processes.runs.measuring import Measuring
from aeon.platform.processes.runs.obstacles import Obstacles
from aeon.platform.processes.runs.pruning import Pruned, Pruning
from aeon.platform.processes.runs.why import Around
from aeon.platform.processes.schedules.schedules import Schedules
from aeon.platform.processes.schedules.starting import Starter
from aeon.platform.store import StoreError
from aeon.platform.workers.attending import Attending
from aeon.platform.workers.cache.cache import RecordCache
from aeon.platform.workers.calling import carries_out, known_to
from aeon.platform.workers.caretaking import Caretaker
from aeon.platform.workers.limits.places import Places
from aeon.platform.workers.limits.waiting import Limiting
from aeon.platform.workers.local import LocalWorkers
from aeon.platform.workers.presence import Presence
from aeon.platform.workers.registry import Registry
from aeon.platform.workers.serving import is_wanted, present
from aeon.settings import EngineSettings


class Adopted(NamedTuple):
    """Where a record's runs were kept before, None for nowhere, where they are now, and how many have not ended."""

    before: RunStore | None
    own: RunStore
    open_runs: int


class ProcessRunner:
    """Everything that commands need to run Processes. A context manager; it does not close the platform."""

    def __init__(
        self,
        platform: Platform,
        project: Path,
        settings: EngineSettings,
        environ: Mapping[str, str],
        from_project: Mapping[str, Path] = NOTHING_FROM_PROJECT,
    ) -> None:
        self.platform = platform
        self.clock = SystemClock()
        self.results: Results = FileResults(project / ".aeon" / "results")
        self.runs = runs_of(platform, project)
        self.registry = Registry(platform.store, self.clock)
        self.executor = str(uuid4())
        self.carrier = executor_of(settings, self.executor)
        self._settings = settings
        self._environ = environ
        self._place = Place(
            project,
            settings,
            environ,
            partial(mark_of, platform.store),
            partial(claim_run_store, platform.store),
            from_project,
        )
        self._closing: list[Callable[[], None]] = []

    @cached_property
    def engine(self) -> Engine:
        """The engine, opened. Raises StoreError, MissingExtraError, ConfigError."""
        presence = self.presence
        workers = self._workers(self._settings.slots, presence)
        parts = Parts(self.runs.book, workers, self.results, self.clock)
        engine = open_engine(self._place, parts, self.executor)
        self._closing.append(engine.close)
        return engine

    @cached_property
    def presence(self) -> Presence:
        """This process among the workers, once it is begun."""
        presence = Presence(self.registry, self.executor, self._settings.slots, self.clock)
        self._closing.append(presence.close)
        return presence

    @cached_property
    def cache(self) -> RecordCache:
        """What pure tools came to. Raises StoreError."""
        return RecordCache(self.platform.store, self.results, self.clock)

    @cached_property
    def caretaker(self) -> Caretaker:
        """What takes over runs that were left behind."""
        return Caretaker(self.runs.book, self.registry, self.engine, self.clock)

    @cached_property
    def schedules(self) -> Schedules:
        """When Processes are started by themselves. Raises StoreError."""
        return Schedules(self.platform.store, self.platform.catalog, self.platform.processes)

    @cached_property
    def attending(self) -> Attending:
        """What a worker for runs looks after."""
        starter = Starter(self.schedules, self.platform.processes, self.runs, self.engine)
        return Attending(self.runs.book, self.caretaker, starter, self.clock, self.engine.executor)

    @cached_property
    def around(self) -> Around:
        """What says why a run does not go on."""
        platform = self.platform
        obstacles = Obstacles(platform.store, platform.catalog.tools, platform.processes)
        return Around(platform.store, self.runs, self.registry, obstacles, self.clock, self.carrier)

    @cached_property
    def measuring(self) -> Measuring:
        """What records the runs that have ended. Raises StoreError."""
        store, book = self.platform.store, self.runs.book
        return Measuring(
            store, book, self.platform.metrics.values, span_sending(store, book, self.clock, self._environ)
        )

    def prune(self, days: int | None = None) -> Pruned:
        """Remove runs that ended so many days ago, or as many as the settings keep; what they came to stays measured.

        Raises StoreError.
        """
        while self.measuring.catch_up():
            continue
        now = self.clock.now()
        before = datetime.fromisoformat(now) - timedelta(days=self._settings.keep_days if days is None else days)
        pruning = Pruning(self.platform.store, self.results, self.engine.forget, self.clock.now)
        return pruning.prune(before.isoformat(timespec="microseconds"))

    def adopt_runs(self, *, is_dry: bool) -> "Adopted":
        """Have the record's runs be kept where the settings say, since where they were is lost (measured E5).

        Raises ConfigError while a process carries out runs of the record, and for an engine that this is not about.
        """
        own, before = run_store(self._place), run_store_of(self.platform.store)
        if own is None:
            raise ConfigError("Only runs in this folder or in PostgreSQL are adopted; these settings keep none there.")
        others = sorted(present(self.registry))
        if others:
            raise ConfigError(
                f"Somebody is there for the runs of this record: {', '.join(others)}.",
                next_step="End these processes first; `aeon worker list` shows them.",
            )
        (row,) = self.platform.store.read(queries.OPEN_COUNT)
        if not is_dry and before is not None:
            move_run_store(self.platform.store, own)
        return Adopted(before, own, row["number"])

    def begin(self, types: Sequence[str] = ()) -> None:
        """Open the engine, and be there for all to see."""
        _ = self.engine
        self.presence.begin(types)

    def serve(self, types: Sequence[str]) -> None:
        """Be there for jobs of these types alone, of runs that go on elsewhere. Raises ConfigError, EngineError.

        Of a type that the settings leave to others, which this process is, there are as many workers as by default.
        """
        usual = EngineSettings().slots
        slots = {kind: self._settings.slots[kind] or usual[kind] for kind in types}
        presence = Presence(self.registry, self.executor, slots, self.clock)
        self._closing.append(presence.close)
        workers = self._workers(slots, presence)
        presence.begin(types)  # whoever is not entered is taken for gone
        worker = open_worker(
            self._place,
            workers,
            self.results,
            executor=self.executor,
            slots=slots,
            present=partial(present, self.registry),
            is_wanted=partial(is_wanted, self.runs.book),
        )
        self._closing.append(worker.close)

    def _workers(self, slots: Mapping[str, int], presence: Presence) -> LocalWorkers:
        """They keep to limits, and use again what pure tools came to."""
        store = self.platform.store
        caller = self.platform.caller.with_cache(self.cache)
        limiting = Limiting(Places(store, self.registry, self.clock, self.executor), self.clock)
        return LocalWorkers(carries_out(caller), slots, presence, limiting, known=known_to(caller))

    def close(self) -> None:
        """Stop where everything stands; what has ended is recorded by then, or by whoever comes next."""
        try:
            if self._closing:
                with suppress(StoreError):
                    self.measuring.catch_up()
        finally:
            for close in reversed(self._closing):
                close()
            self._closing.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
