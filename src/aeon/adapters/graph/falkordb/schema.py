"""What the engine enforces and indexes: asked for, waited for, and read back."""

import time
from collections.abc import Callable, Iterable

from aeon.adapters.graph.falkordb import queries
from aeon.adapters.graph.falkordb.failures import ALREADY_CONSTRAINED, ALREADY_INDEXED
from aeon.adapters.graph.falkordb.session import Session
from aeon.adapters.graph.schemas import Pair, contradicted, quoted, require_names
from aeon.platform.graph import GraphError, QueryError, Row, Schema

_WAIT_SECONDS = 600.0
_PAUSE_SECONDS = 0.005


def ensure(session: Session, key: str, schema: Schema, *, pause: Callable[[float], None] = time.sleep) -> None:
    """Have the engine index and enforce all of `schema` before this returns. Raises DuplicateError."""
    wanted = (*schema.unique, *schema.indexed)
    require_names(wanted)
    there = present(session)
    for pair in dict.fromkeys(wanted):
        if pair not in there.indexed and pair not in there.unique:
            _index(session, pair)
    _wait(lambda: _unready_indexes(session, wanted), pause)
    for pair in schema.unique:
        if pair not in there.unique:
            _constrain(session, key, pair, pause)


def present(session: Session) -> Schema:
    """What the engine enforces and indexes now. What is unique is not listed as indexed again."""
    unique = [
        (str(row["label"]), str(row["properties"][0]))
        for row in session.read(queries.CONSTRAINTS)
        if _is_unique(row) and row["status"] == "OPERATIONAL"
    ]
    indexed = [pair for pair, _ in _indexes(session) if pair not in unique]
    return Schema(tuple(sorted(unique)), tuple(sorted(indexed)))


def _index(session: Session, pair: Pair) -> None:
    label, name = map(quoted, pair)
    try:
        session.write(queries.INDEX.format(label=label, property=name))
    except QueryError as error:
        if ALREADY_INDEXED not in error.message:  # another process was quicker
            raise


def _constrain(session: Session, key: str, pair: Pair, pause: Callable[[float], None]) -> None:
    label, name = pair
    rule = (key, "UNIQUE", "NODE", label, "PROPERTIES", 1, name)
    try:
        session.command("GRAPH.CONSTRAINT", "CREATE", *rule)
    except QueryError as error:
        if ALREADY_CONSTRAINED not in error.message:
            raise
    _wait(lambda: _status(session, pair) == "UNDER CONSTRUCTION", pause)
    if _status(session, pair) != "OPERATIONAL":
        session.command("GRAPH.CONSTRAINT", "DROP", *rule)
        raise contradicted(pair)


def _wait(is_unfinished: Callable[[], bool], pause: Callable[[float], None]) -> None:
    for _ in range(int(_WAIT_SECONDS / _PAUSE_SECONDS)):
        if not is_unfinished():
            return
        pause(_PAUSE_SECONDS)
    raise GraphError("The graph's indexes are not ready.", next_step="Wait, then open the graph again.")


def _status(session: Session, pair: Pair) -> str:
    for row in session.read(queries.CONSTRAINTS):
        if _is_unique(row) and (row["label"], row["properties"][0]) == pair:
            return row["status"]
    return ""


def _is_unique(row: Row) -> bool:
    return row["type"] == "UNIQUE" and row["entitytype"] == "NODE" and len(row["properties"]) == 1


def _unready_indexes(session: Session, wanted: Iterable[Pair]) -> bool:
    ready = {pair for pair, status in _indexes(session) if status == "OPERATIONAL"}
    return not ready.issuperset(wanted)


def _indexes(session: Session) -> list[tuple[Pair, str]]:
    return [
        ((row["label"], name), row["status"])
        for row in session.read(queries.INDEXES)
        if row["entitytype"] == "NODE"
        for name in row["properties"]
    ]
