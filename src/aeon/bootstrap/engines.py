"""Opens the engine of the settings: DBOS in the project's folder or on PostgreSQL, Temporal, or in memory."""

import platform
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote, urlsplit

from aeon.base.clock import SystemClock
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.base.project_folder import make_folder, require_ownership
from aeon.bootstrap.passwords import NO_PROJECT_KEYS, server_password
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.ports import Engine, RunRepository, WorkerPool
from aeon.platform.store_identity import RunStoreIdentity
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR
from aeon.settings import EngineSettings

_TEMPORAL = "temporal://"
_MEMORY = "memory"


class EngineParts(NamedTuple):
    """The parts that an engine works with."""

    book: RunRepository
    workers: WorkerPool
    results: ResultStore
    clock: SystemClock


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

    def close(self) -> None: ...


def open_engine(location: EngineLocation, parts: EngineParts, executor: str) -> Engine:
    """Open the engine. Raises ConfigError, MissingExtraError, and EngineError if its server does not answer."""
    settings = location.settings
    elsewhere = [kind for kind, count in settings.slots.items() if count == 0]
    if location.address == _MEMORY:
        _refuse_in_memory(elsewhere)
        from aeon.adapters.engines.local import LocalEngine

        return LocalEngine(parts.book, parts.workers, parts.clock, executor)
    if location.address.startswith(_TEMPORAL):
        return _temporal(location, parts)
    _need_dbos()
    from aeon.adapters.engines.dbos import DbosEngine

    database = _claimed_database(location)
    arguments = (parts.book, parts.workers, parts.results, parts.clock, executor)
    return DbosEngine(database, *arguments, elsewhere=elsewhere, is_durable=settings.is_durable)


def open_worker(
    location: EngineLocation,
    workers: WorkerPool,
    results: ResultStore,
    *,
    executor: str,
    slots: Mapping[str, int],
    present: Callable[[], set[str]],
    is_wanted: Callable[[str], bool],
) -> JobServer:
    """Open a server for jobs of the types in `slots`, of runs that execute elsewhere.

    `present` returns the live executors, `is_wanted` whether a run is still active. Raises ConfigError for an engine
    that gives no jobs to other processes, MissingExtraError, EngineError.
    """
    if location.address == _MEMORY:
        raise ConfigError(
            "Runs in memory give no jobs to other processes, so a worker of one type would have nothing to do.",
            next_step="Remove engine.address, or set it to a PostgreSQL or Temporal server.",
        )
    if location.address.startswith(_TEMPORAL):
        from aeon.adapters.engines.temporal import TemporalWorker

        return TemporalWorker(*_server(location.address), workers, results, slots=slots, record=location.record_id())
    _need_dbos()
    from aeon.adapters.engines.dbos import DbosWorker

    database = _claimed_database(location)
    return DbosWorker(
        database,
        workers,
        results,
        executor=executor,
        slots=slots,
        present=present,
        is_wanted=is_wanted,
        is_durable=location.settings.is_durable,
    )


def engine_run_store(location: EngineLocation) -> RunStoreIdentity | None:
    """Return where DBOS keeps the runs, created if missing; None for the in-memory engine and Temporal.

    Raises ConfigError, MissingExtraError, EngineUnavailableError.
    """
    if location.address == _MEMORY or location.address.startswith(_TEMPORAL):
        return None
    _need_dbos()
    return _store_at(location, _database(location))


def _claimed_database(location: EngineLocation) -> str:
    """Return the URL of the DBOS database, after claiming it for the record's runs."""
    database = _database(location)
    location.claim_runs(_store_at(location, database))
    return database


def _store_at(location: EngineLocation, database: str) -> RunStoreIdentity:
    from aeon.adapters.engines.dbos.ownership import database_id

    parts = urlsplit(location.address)
    server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return RunStoreIdentity(
        database_id(database),
        server if location.address else f"{platform.node()}:{location.project / '.aeon' / 'runs.db'}",
    )


def _refuse_in_memory(elsewhere: list[str]) -> None:
    if elsewhere:
        named = ", ".join(f"engine.{kind}" for kind in elsewhere)
        raise ConfigError(
            f"{named}: 0 leaves these jobs to workers of that type, but runs in memory give other processes no jobs.",
            next_step="Set at least 1, or remove engine.address.",
        )


def _database(location: EngineLocation) -> str:
    """Return the URL of the DBOS database, created if missing."""
    if not location.address:
        folder = location.project / ".aeon"
        make_folder(folder)
        require_ownership(folder / "runs.db")
        (folder / "runs.db").touch(mode=0o600)
        return f"sqlite:///{folder / 'runs.db'}"
    password = server_password(
        "engine", location.address, location.settings.password_env, location.environ, location.from_project
    )
    database = location.address if password is None else _with_password(location.address, password)
    from aeon.adapters.engines.dbos.ownership import claim_database

    claim_database(database, location.record_id())
    return database


def _need_dbos() -> None:
    if find_spec("dbos") is None:
        raise MissingExtraError("Running processes needs dbos.", next_step="Install aeon-orchestrator[platform].")


def _temporal(location: EngineLocation, parts: EngineParts) -> Engine:
    from aeon.adapters.engines.temporal import TemporalEngine

    server, slots = _server(location.address), location.settings.slots
    return TemporalEngine(*server, parts.book, parts.workers, parts.results, slots=slots, record=location.record_id())


def _server(address: str) -> tuple[str, str]:
    """Return the host and port of a Temporal server, and its namespace."""
    parts = urlsplit(address)
    return f"{parts.hostname}:{parts.port or 7233}", parts.path.strip("/") or "default"


def _with_password(address: str, password: str) -> str:
    user, _, location = urlsplit(address).netloc.rpartition("@")
    return urlsplit(address)._replace(netloc=f"{user}:{quote(password, safe='')}@{location}").geturl()
