"""The engine that the settings mean: DBOS in the project's folder or on Postgres, Temporal, or none that lasts."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from aeon.base.clock import SystemClock
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.bootstrap.choice import NOTHING_FROM_PROJECT
from aeon.bootstrap.passwords import password_of
from aeon.platform.processes.runs.claims import Results
from aeon.platform.processes.runs.engine import Book, Engine, Workers
from aeon.platform.workers.model import TAKES_OVER_ITSELF
from aeon.settings import EngineSettings

if TYPE_CHECKING:
    from aeon.adapters.engine.temporal import TemporalWorker

_TEMPORAL = "temporal://"


class Parts(NamedTuple):
    """What an engine works with."""

    book: Book
    workers: Workers
    results: Results
    clock: SystemClock


def executor_of(settings: EngineSettings, own: str) -> str:
    """Who carries out the runs that this process starts; `own` is the process's name."""
    return TAKES_OVER_ITSELF if (settings.address or "").startswith(_TEMPORAL) else own


def open_engine(
    project: Path,
    settings: EngineSettings,
    environ: Mapping[str, str],
    parts: Parts,
    executor: str,
    from_project: Mapping[str, Path] = NOTHING_FROM_PROJECT,
) -> Engine:
    """The engine, opened. Raises ConfigError, MissingExtraError, and EngineError where its server does not answer."""
    address = settings.address
    if address == "memory":
        from aeon.adapters.engine.local import LocalEngine

        return LocalEngine(parts.book, parts.workers, parts.clock, executor)
    if address is not None and address.startswith(_TEMPORAL):
        return _temporal(address, settings, parts)
    if address is None:
        folder = project / ".aeon"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "runs.db").touch(mode=0o600)
        found = f"sqlite:///{folder / 'runs.db'}"
    else:
        password = password_of("engine", address, settings.password_env, environ, from_project)
        found = address if password is None else _with_password(address, password)
    try:
        from aeon.adapters.engine.dbos import DbosEngine
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Running processes needs dbos.", next_step="Install aeon-orchestrator[platform]."
        ) from None
    return DbosEngine(found, parts.book, parts.workers, parts.results, parts.clock, executor)


def open_worker(
    settings: EngineSettings, workers: Workers, results: Results, slots: Mapping[str, int]
) -> "TemporalWorker":
    """What carries out jobs of the types in `slots` for runs that go on elsewhere.

    Raises ConfigError for an engine that gives no jobs to other processes, MissingExtraError, EngineError.
    """
    address = settings.address or ""
    if not address.startswith(_TEMPORAL):
        raise ConfigError(
            "Workers for one type of jobs need an engine that gives jobs to other processes, as Temporal does.",
            next_step="Run `aeon worker` without --type, which carries out whole runs, or set engine.address to "
            "temporal://host:7233/namespace.",
        )
    from aeon.adapters.engine.temporal import TemporalWorker

    return TemporalWorker(*_place(address), workers, results, slots=slots)


def _temporal(address: str, settings: EngineSettings, parts: Parts) -> Engine:
    from aeon.adapters.engine.temporal import TemporalEngine

    return TemporalEngine(*_place(address), parts.book, parts.workers, parts.results, slots=settings.slots)


def _place(address: str) -> tuple[str, str]:
    """A server of Temporal's, and a namespace of it."""
    place = urlsplit(address)
    return f"{place.hostname}:{place.port or 7233}", place.path.strip("/") or "default"


def _with_password(address: str, password: str) -> str:
    user, _, place = urlsplit(address).netloc.rpartition("@")
    return urlsplit(address)._replace(netloc=f"{user}:{quote(password, safe='')}@{place}").geturl()
