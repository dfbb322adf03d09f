"""The engine that the settings mean: DBOS in the project's folder or on Postgres, Temporal, or none that lasts."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from aeon.base.clock import SystemClock
from aeon.base.errors import MissingExtraError
from aeon.bootstrap.choice import NOTHING_FROM_PROJECT
from aeon.bootstrap.passwords import password_of
from aeon.platform.processes.runs.claims import Results
from aeon.platform.processes.runs.engine import Book, Engine, Workers
from aeon.settings import EngineSettings

_TEMPORAL = "temporal://"
_TEMPORALS = "temporal"
"""Who carries out what Temporal does: it is one for all processes, and hands a dead one's work on by itself."""


class Parts(NamedTuple):
    """What an engine works with."""

    book: Book
    workers: Workers
    results: Results
    clock: SystemClock


def executor_of(settings: EngineSettings, own: str) -> str:
    """Who carries out the runs that this process starts; `own` is the process's name."""
    return _TEMPORALS if (settings.address or "").startswith(_TEMPORAL) else own


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


def _temporal(address: str, settings: EngineSettings, parts: Parts) -> Engine:
    from aeon.adapters.engine.temporal import TemporalEngine

    place = urlsplit(address)
    namespace = place.path.strip("/") or "default"
    return TemporalEngine(
        f"{place.hostname}:{place.port or 7233}",
        namespace,
        parts.book,
        parts.workers,
        parts.results,
        slots=settings.slots,
    )


def _with_password(address: str, password: str) -> str:
    user, _, place = urlsplit(address).netloc.rpartition("@")
    return urlsplit(address)._replace(netloc=f"{user}:{quote(password, safe='')}@{place}").geturl()
