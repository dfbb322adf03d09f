"""Opens the engine of the settings: SQLite in the project's folder, PostgreSQL, Temporal, or in memory."""

import platform
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urlsplit

from aeon.base.clock import SystemClock
from aeon.base.errors import ConfigError
from aeon.base.project_folder import make_folder, require_ownership
from aeon.bootstrap.passwords import NO_PROJECT_KEYS, server_password
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.model import Job
from aeon.platform.runs.ports import Engine, RunRepository, WorkerPool
from aeon.platform.store_identity import RunStoreIdentity
from aeon.platform.workers.capabilities import Capabilities
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR
from aeon.settings import EngineSettings

if TYPE_CHECKING:
    from aeon.adapters.engines.sql import RunDatabase

_TEMPORAL = "temporal://"
IN_MEMORY = "memory"
"""The address of an engine that keeps nothing."""


class EngineParts(NamedTuple):
    """The parts that an engine works with."""

    book: RunRepository
    workers: WorkerPool
    results: ResultStore
    clock: SystemClock
    capabilities: Capabilities
    can_execute: Callable[[Job], bool]


def executor_of(settings: EngineSettings, own: str) -> str:
    """Return the executor of the runs that this process starts; `own` is the process's id."""
    return SELF_RECOVERING_EXECUTOR if (settings.address or "").startswith(_TEMPORAL) else own


class EngineLocation(NamedTuple):
    """Where an engine stores its data, and for which record."""

    project: Path
    settings: EngineSettings
    environ: Mapping[str, str]
    record_id: Callable[[], str]
    claim_runs: Callable[[RunStoreIdentity], None]
    """Registers this store for the record's runs; raises ConfigError if another store has them."""
    from_project: Mapping[str, Path] = NO_PROJECT_KEYS

    @property
    def address(self) -> str:
        return self.settings.address or ""


class JobServer(Protocol):
    """Runs jobs until it is closed."""

    def queued_since(self, types: Sequence[str]) -> dict[str, float]:
        """Return when the oldest queued job of each type was queued, as an engine does."""
        ...

    def drain(self, seconds: float) -> int:
        """Take no job from now on, and wait at most `seconds` for the others; return how many have not ended."""
        ...

    def close(self) -> None: ...


def open_engine(location: EngineLocation, parts: EngineParts, executor: str, grace: float = 0.0) -> Engine:
    """Open the engine, which is drained for `grace` seconds or not at all.

    Raises ConfigError, MissingExtraError, and EngineError if its server does not answer.
    """
    settings = location.settings
    elsewhere = [kind for kind, count in settings.slots.items() if count == 0]
    if location.address == IN_MEMORY:
        _refuse_in_memory(elsewhere)
        from aeon.adapters.engines.local import LocalEngine

        return LocalEngine(parts.book, parts.workers, parts.clock, executor, parts.can_execute)
    if location.address.startswith(_TEMPORAL):
        return _temporal(location, parts, grace)
    from aeon.adapters.engines.sql import SqlEngine

    book, workers, results, clock, _, can_execute = parts
    database = _claimed_database(location)
    return SqlEngine(database, book, workers, results, clock, executor, elsewhere=elsewhere, can_execute=can_execute)


def open_worker(
    location: EngineLocation,
    workers: WorkerPool,
    results: ResultStore,
    *,
    executor: str,
    slots: Mapping[str, int],
    live_executors: Callable[[], set[str]],
    is_wanted: Callable[[str], bool],
    grace: float = 0.0,
    capabilities: Capabilities,
) -> JobServer:
    """Open a server for jobs of the types in `slots`, of runs that execute elsewhere.

    `live_executors` returns their ids, `is_wanted` whether a run is still active. It is drained for `grace` seconds or
    not at all, and takes only what `capabilities` allow. Raises ConfigError for an engine that gives no jobs to other
    processes, MissingExtraError, EngineError.
    """
    if location.address == IN_MEMORY:
        raise ConfigError(
            "Runs in memory give no jobs to other processes, so a worker of one type would have nothing to do.",
            next_step="Remove engine.address, or set it to a PostgreSQL or Temporal server.",
        )
    if location.address.startswith(_TEMPORAL):
        from aeon.adapters.engines.temporal import TemporalWorker

        server, record = _server(location.address), location.record_id()
        return TemporalWorker(
            *server, workers, results, slots=slots, record=record, grace=grace, capabilities=capabilities
        )
    from aeon.adapters.engines.sql import SqlWorker

    return SqlWorker(
        _claimed_database(location),
        workers,
        results,
        executor=executor,
        slots=slots,
        live_executors=live_executors,
        is_wanted=is_wanted,
        capabilities=capabilities,
    )


def reach_engine(
    project: Path, settings: EngineSettings, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> str:
    """Connect to the engine of the settings, change nothing there, and return its name.

    Raises ConfigError, MissingExtraError, StoreError, EngineUnavailableError.
    """
    address = settings.address or ""
    if address == IN_MEMORY:
        return "in memory"
    if address.startswith(_TEMPORAL):
        return _reach_temporal(address)
    if not address:
        return _reach_file(project / ".aeon" / "runs.db")
    from aeon.adapters.engines.sql.database import reach_server

    return reach_server(address, server_password("engine", address, settings.password_env, environ, from_project))


def _reach_temporal(address: str) -> str:
    from aeon.adapters.engines.temporal.connection import TemporalConnection
    from aeon.adapters.results import MemoryResultStore

    server, namespace = _server(address)
    TemporalConnection(server, namespace, MemoryResultStore()).close()
    return f"Temporal at {server}, namespace {namespace!r}"


def _reach_file(file: Path) -> str:
    """Return the name of the database of runs in a project's folder, which is opened only if it exists."""
    if not file.exists():
        return f"SQLite in {file}, which the first run creates"
    from aeon.adapters.store.sqlite.factory import open_plain_file

    require_ownership(file)
    with closing(open_plain_file(file)) as database:
        return database.name


def engine_run_store(location: EngineLocation) -> RunStoreIdentity | None:
    """Return where the runs are kept in SQL, created if missing; None for the in-memory engine and Temporal.

    Raises ConfigError, MissingExtraError, EngineUnavailableError.
    """
    if location.address == IN_MEMORY or location.address.startswith(_TEMPORAL):
        return None
    with closing(_open_database(location)) as database:
        return _store_at(location, database)


@contextmanager
def transferred_run_store(location: EngineLocation) -> Generator[Callable[[str], None]]:
    """Open the run store, and yield what gives it to the record with an id, into which this record was copied.

    The run store in the project's folder is of the folder, whatever its record is. Raises ConfigError,
    MissingExtraError, EngineUnavailableError.
    """
    if not location.address or location.address == IN_MEMORY or location.address.startswith(_TEMPORAL):
        yield _keep
        return
    with closing(_open_database(location)) as database:
        yield partial(database.transfer, location.record_id())


def _keep(_record: str) -> None:
    """The run store belongs to no record."""


def forget_executions(location: EngineLocation) -> None:
    """Make the run store forget who executes runs, because the record was restored from a backup.

    The results of attempts stay: a run that makes the same call again gets them. Raises ConfigError,
    MissingExtraError, EngineUnavailableError.
    """
    is_missing = not location.address and not (location.project / ".aeon" / "runs.db").exists()
    if is_missing or location.address == IN_MEMORY or location.address.startswith(_TEMPORAL):
        return
    with closing(_open_database(location)) as database:
        database.forget_executions()


def _claimed_database(location: EngineLocation) -> "RunDatabase":
    """Return the database of the runs, opened and claimed for the record's runs."""
    database = _open_database(location)
    try:
        location.claim_runs(_store_at(location, database))
    except BaseException:
        database.close()
        raise
    return database


def _store_at(location: EngineLocation, database: "RunDatabase") -> RunStoreIdentity:
    parts = urlsplit(location.address)
    server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return RunStoreIdentity(
        database.id,
        server if location.address else f"{platform.node()}:{location.project / '.aeon' / 'runs.db'}",
    )


def _refuse_in_memory(elsewhere: list[str]) -> None:
    if elsewhere:
        named = ", ".join(f"engine.{kind}" for kind in elsewhere)
        raise ConfigError(
            f"{named}: 0 leaves these jobs to workers of that type, but runs in memory give other processes no jobs.",
            next_step="Set at least 1, or remove engine.address.",
        )


def _open_database(location: EngineLocation) -> "RunDatabase":
    """Open the database of the runs, created if missing. One on a server is claimed for the record."""
    from aeon.adapters.engines.sql import RunDatabase

    settings = location.settings
    if not location.address:
        folder = location.project / ".aeon"
        make_folder(folder)
        require_ownership(folder / "runs.db")
        return RunDatabase(f"sqlite:///{folder / 'runs.db'}", is_durable=settings.is_durable)
    password = server_password(
        "engine", location.address, settings.password_env, location.environ, location.from_project
    )
    database = RunDatabase(location.address, password, is_durable=settings.is_durable)
    try:
        database.claim(location.record_id())
    except BaseException:
        database.close()
        raise
    return database


def _temporal(location: EngineLocation, parts: EngineParts, grace: float) -> Engine:
    from aeon.adapters.engines.temporal import TemporalEngine

    book, workers, results, _, capabilities, _ = parts
    return TemporalEngine(
        *_server(location.address),
        book,
        workers,
        results,
        slots=location.settings.slots,
        record=location.record_id(),
        grace=grace,
        capabilities=capabilities,
    )


def _server(address: str) -> tuple[str, str]:
    """Return the host and port of a Temporal server, and its namespace."""
    parts = urlsplit(address)
    return f"{parts.hostname}:{parts.port or 7233}", parts.path.strip("/") or "default"
