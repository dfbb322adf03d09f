"""What the server enforces and indexes: asked for, waited for, and read back."""

from collections.abc import Iterable
from contextlib import suppress

from aeon.adapters.graph.neo4j import queries
from aeon.adapters.graph.neo4j.failures import ALREADY_THERE
from aeon.adapters.graph.neo4j.session import Session, Transaction
from aeon.adapters.graph.schemas import Pair, contradicted, quoted, require_names
from aeon.platform.graph import DuplicateError, QueryError, Row, Schema

_WAIT_SECONDS = 600


def ensure(session: Session, schema: Schema) -> None:
    """Have the server index and enforce all of `schema` before this returns. Raises DuplicateError."""
    require_names((*schema.unique, *schema.indexed))
    there = present(session)
    for pair in dict.fromkeys(schema.unique):
        if pair not in there.unique:
            _constrain(session, pair, is_indexed=pair in there.indexed)
    for pair in dict.fromkeys(schema.indexed):
        if pair not in (*there.indexed, *there.unique, *schema.unique):
            _make(session, queries.INDEX, pair)
    _wait(session)


def ensure_turns(session: Session) -> None:
    """Have the server hold the lock by which writes take turns."""
    _make(session, queries.CONSTRAINT, queries.TURN_PAIR)


def present(session: Session) -> Schema:
    """What the server enforces and indexes now. What is unique is not listed as indexed again."""
    constraints = session.read(queries.CONSTRAINTS)
    unique = {_pair(row) for row in constraints if _is_of_one(row) and "UNIQUENESS" in row["type"]}
    unique.discard(queries.TURN_PAIR)
    indexed = {_pair(row) for row in _indexes(session)}
    return Schema(tuple(sorted(unique)), tuple(sorted(indexed - unique)))


def require_unique(transaction: Transaction, pairs: Iterable[Pair]) -> None:
    """Raise DuplicateError where what a transaction would leave breaks what is to be unique."""
    for pair in pairs:
        label, name = map(quoted, pair)
        if transaction.rows(queries.TWINS.format(label=label, property=name))[0]["twins"]:
            raise contradicted(pair)


def _constrain(session: Session, pair: Pair, *, is_indexed: bool) -> None:
    """The server keeps no index beside a constraint on the same pair, which has one of its own."""
    if is_indexed:
        _drop_index(session, pair)
    try:
        _make(session, queries.CONSTRAINT, pair)
    except DuplicateError:
        if is_indexed:
            _make(session, queries.INDEX, pair)
            _wait(session)
        raise contradicted(pair) from None


def _make(session: Session, query: str, pair: Pair) -> None:
    label, name = map(quoted, pair)
    try:
        session.define(query.format(label=label, property=name), _WAIT_SECONDS)
    except QueryError as error:
        if not any(code in error.message for code in ALREADY_THERE):  # another process was quicker
            raise


def _wait(session: Session) -> None:
    session.read(queries.ONLINE, {"seconds": _WAIT_SECONDS}, _WAIT_SECONDS)


def _drop_index(session: Session, pair: Pair) -> None:
    for row in _indexes(session):
        if _pair(row) == pair:
            with suppress(QueryError):  # dropped by another process just now
                session.define(queries.DROP_INDEX.format(name=quoted(row["name"])))


def _indexes(session: Session) -> list[Row]:
    rows = session.read(queries.INDEXES)
    return [row for row in rows if row["type"] == "RANGE" and row["owningConstraint"] is None and _is_of_one(row)]


def _is_of_one(row: Row) -> bool:
    return row["entityType"] == "NODE" and len(row["labelsOrTypes"] or ()) == len(row["properties"] or ()) == 1


def _pair(row: Row) -> Pair:
    return row["labelsOrTypes"][0], row["properties"][0]
