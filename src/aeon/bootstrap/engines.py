"""The engine that the settings mean: DBOS in the project's folder or on Postgres, Temporal, or none that lasts."""

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
    """What an engine works with."""

    book: RunRepository
    workers: WorkerPool
    results: ResultStore
    clock: SystemClock


def executor_of(settings: EngineSettings, own: str) -> str:
    """Who carries out the runs that this process starts; `own` is the process's name."""
    return SELF_RECOVERING_EXECUTOR if (settings.address or "").startswith(_TEMPORAL) else own


class EngineLocation(NamedTuple):
    """Where an engine keeps what it keeps, and which record's that is."""

    project: Path
    settings: EngineSettings
    environ: Mapping[str, str]
    record_id: Callable[[], str]
    claim_runs: Callable[[RunStoreIdentity], None]
    """Has the record's runs be kept there; raises ConfigError where they are kept elsewhere."""
    from_project: Mapping[str, Path] = NO_PROJECT_KEYS

    @property
    def address(self) -> str:
        return self.settings.address or ""


class JobServer(Protocol):
    """Carries out jobs until it is closed."""

    def close(self) -> None: ...


def open_engine(place: EngineLocation, parts: EngineParts, executor: str) -> Engine:
    """The engine, opened. Raises ConfigError, MissingExtraError, and EngineError where its server does not answer."""
    settings = place.settings
    elsewhere = [kind for kind, count in settings.slots.items() if count == 0]
    if place.address == _MEMORY:
        _refuse_in_memory(elsewhere)
        from aeon.adapters.engines.local import LocalEngine

        return LocalEngine(parts.book, parts.workers, parts.clock, executor)
    if place.address.startswith(_TEMPORAL):
        return _temporal(place, parts)
    _need_dbos()
    from aeon.adapters.engines.dbos import DbosEngine

    found = _claimed_database(place)
    given = (parts.book, parts.workers, parts.results, parts.clock, executor)
    return DbosEngine(found, *given, elsewhere=elsewhere, is_durable=settings.is_durable)


def open_worker(
    place: EngineLocation,
    workers: WorkerPool,
    results: ResultStore,
    *,
    executor: str,
    slots: Mapping[str, int],
    present: Callable[[], set[str]],
    is_wanted: Callable[[str], bool],
) -> JobServer:
    """What carries out jobs of the types in `slots` for runs that go on elsewhere.

    `present` says which executors there are, `is_run_active` whether a run is still to be carried out.
    Raises ConfigError for an engine that gives no jobs to other processes, MissingExtraError, EngineError.
    """
    if place.address == _MEMORY:
        raise ConfigError(
            "Runs in memory give no jobs to other processes, so there is nothing for a worker of one type to do.",
            next_step="Leave engine.address out, or set it to a Postgres or a Temporal.",
        )
    if place.address.startswith(_TEMPORAL):
        from aeon.adapters.engines.temporal import TemporalWorker

        return TemporalWorker(*_server(place.address), workers, results, slots=slots, record=place.record_id())
    _need_dbos()
    from aeon.adapters.engines.dbos import DbosWorker

    found = _claimed_database(place)
    return DbosWorker(
        found,
        workers,
        results,
        executor=executor,
        slots=slots,
        present=present,
        is_wanted=is_wanted,
        is_durable=place.settings.is_durable,
    )


def engine_run_store(place: EngineLocation) -> RunStoreIdentity | None:
    """Where DBOS keeps the runs, made if need be; None for an engine that keeps none, or in Temporal.

    Raises ConfigError, MissingExtraError, EngineUnavailableError.
    """
    if place.address == _MEMORY or place.address.startswith(_TEMPORAL):
        return None
    _need_dbos()
    return _store_at(place, _database(place))


def _claimed_database(place: EngineLocation) -> str:
    """Where DBOS keeps its rows, which is where the record's runs are kept (measured E5)."""
    found = _database(place)
    place.claim_runs(_store_at(place, found))
    return found


def _store_at(place: EngineLocation, found: str) -> RunStoreIdentity:
    from aeon.adapters.engines.dbos.ownership import database_id

    parts = urlsplit(place.address)
    server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return RunStoreIdentity(
        database_id(found), server if place.address else f"{platform.node()}:{place.project / '.aeon' / 'runs.db'}"
    )


def _refuse_in_memory(elsewhere: list[str]) -> None:
    if elsewhere:
        named = ", ".join(f"engine.{kind}" for kind in elsewhere)
        raise ConfigError(
            f"{named}: 0 leaves these jobs to workers of that type, but runs in memory give none to other processes.",
            next_step="Set at least 1 there, or leave engine.address out.",
        )


def _database(place: EngineLocation) -> str:
    """Where DBOS keeps its rows, made if need be."""
    if not place.address:
        folder = place.project / ".aeon"
        make_folder(folder)
        require_ownership(folder / "runs.db")
        (folder / "runs.db").touch(mode=0o600)
        return f"sqlite:///{folder / 'runs.db'}"
    password = server_password("engine", place.address, place.settings.password_env, place.environ, place.from_project)
    found = place.address if password is None else _with_password(place.address, password)
    from aeon.adapters.engines.dbos.ownership import claim_database

    claim_database(found, place.record_id())
    return found


def _need_dbos() -> None:
    if find_spec("dbos") is None:
        raise MissingExtraError("Running processes needs dbos.", next_step="Install aeon-orchestrator[platform].")


def _temporal(place: EngineLocation, parts: EngineParts) -> Engine:
    from aeon.adapters.engines.temporal import TemporalEngine

    server, slots = _server(place.address), place.settings.slots
    return TemporalEngine(*server, parts.book, parts.workers, parts.results, slots=slots, record=place.record_id())


def _server(address: str) -> tuple[str, str]:
    """A server of Temporal's, and a namespace of it."""
    parts = urlsplit(address)
    return f"{parts.hostname}:{parts.port or 7233}", parts.path.strip("/") or "default"


def _with_password(address: str, password: str) -> str:
    user, _, place = urlsplit(address).netloc.rpartition("@")
    return urlsplit(address)._replace(netloc=f"{user}:{quote(password, safe='')}@{place}").geturl()
