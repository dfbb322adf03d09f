"""The graph of a folder, and a graph of no folder at all."""

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from aeon.adapters.graph.embedded.engine import Engine, installed_engine
from aeon.adapters.graph.embedded.keeper import is_private
from aeon.adapters.graph.embedded.places import Places
from aeon.adapters.graph.embedded.supervisor import Supervisor
from aeon.adapters.graph.falkordb.link import Link, pool_of
from aeon.adapters.graph.falkordb.store import FalkorGraph


def open_embedded(folder: Path, *, engine: Engine | None = None) -> FalkorGraph:
    """The graph kept in `folder`, which is made if need be and closed to other users of the machine.

    Several processes may open the same one: they share one engine, which the first starts and the last ends. What was
    acknowledged survives the engine being killed; a failure of the whole machine may cost the last second. Raises
    GraphUnavailableError, and MissingExtraError without the engine.
    """
    return _opened(Supervisor(Places.of(folder), engine or installed_engine()), f"FalkorDB in {folder}")


def memory(*, engine: Engine | None = None) -> FalkorGraph:
    """An empty graph that is written nowhere and ends with its owner: the same engine, so the same Cypher."""
    engine = engine or installed_engine()
    folder = Path(tempfile.mkdtemp(prefix="aeon-graph-"))
    try:
        return _opened(Supervisor(Places.of(folder), engine, is_kept=False), "FalkorDB in memory")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _opened(supervisor: Supervisor, name: str) -> FalkorGraph:
    places = supervisor.places
    pool = pool_of("UnixDomainSocketConnection", path=str(places.socket), redis_connect_func=partial(_met, places))
    supervisor.open()
    link = Link(pool, "graph's engine", supervisor.ensure_running, places.require_room)
    return FalkorGraph(link, name, on_close=supervisor.close)


def _met(places: Places, connection: Any) -> None:
    """Before the first word to an engine: the socket must lie where nobody else could have put one (platform 3)."""
    import redis.exceptions

    if not is_private(places.runtime):
        raise redis.exceptions.ConnectionError("the socket's folder is not ours alone")
    connection.on_connect()
