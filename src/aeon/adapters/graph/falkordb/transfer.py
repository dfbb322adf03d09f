"""Everything out of a graph, page by page, and everything into one, beside the old graph until it is complete."""

import secrets
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias, cast

from aeon.adapters.graph.falkordb import queries
from aeon.adapters.graph.falkordb.decoding import Vector
from aeon.adapters.graph.falkordb.link import Link
from aeon.adapters.graph.falkordb.schema import ensure
from aeon.adapters.graph.falkordb.session import Session
from aeon.adapters.graph.records import Tally, checked
from aeon.adapters.graph.schemas import quoted
from aeon.base.json import Json, JsonObject
from aeon.platform.graph import GraphError, Schema

INCOMING = "aeon:incoming"
_TURN = "aeon:incoming:turn"
_TURN_SECONDS = 900

_PAGE = 500
_BATCH = 5000
_BATCH_CHARS = 8_000_000
_SECONDS = 600.0

_Kind: TypeAlias = tuple[Json, ...]


def count(session: Session) -> int:
    """How many nodes there are."""
    return session.read(queries.COUNT, timeout=_SECONDS)[0]["nodes"]


def export(session: Session) -> Iterator[JsonObject]:
    """The records of `GraphStore.export`, and the names of properties that are vectors of floats under `vectors`.

    Read in pages by the engine's ids. A node made meanwhile may be missing, and then its edges are, too.
    """
    last = session.read(queries.LAST_NODE, timeout=_SECONDS)[0]["last"]
    pages = range(0, 0 if last is None else last + 1, _PAGE)
    numbers: dict[int, int] = {}
    for row in _paged(session, queries.NODES, pages):
        numbers[row["id"]] = len(numbers)
        yield _record({"node": numbers[row["id"]], "labels": row["labels"]}, row["properties"])
    for row in _paged(session, queries.EDGES, pages):
        if row["source"] in numbers and row["target"] in numbers:
            ends = {"from": numbers[row["source"]], "to": numbers[row["target"]]}
            yield _record({"edge": row["type"], **ends}, row["properties"])


def _paged(session: Session, query: str, pages: range) -> Iterator[JsonObject]:
    for start in pages:
        yield from session.read(query, {"start": start, "end": start + pages.step}, _SECONDS)


def _record(record: JsonObject, properties: JsonObject) -> JsonObject:
    vectors = sorted(name for name, value in properties.items() if isinstance(value, Vector))
    return {**record, "properties": properties, **({"vectors": vectors} if vectors else {})}


@contextmanager
def incoming(link: Link, most_ms: int) -> Generator["Incoming"]:
    """A new graph beside the one there is; gone again unless it became that one. One at a time."""
    session = Session(link, INCOMING, most_ms)
    token = secrets.token_hex(8)
    if session.command("SET", _TURN, token, "NX", "EX", _TURN_SECONDS) is None:
        raise GraphError(
            "Another process is loading this graph.", next_step="Wait until it is done, or a quarter of an hour."
        )
    try:
        session.command("DEL", INCOMING)
        yield Incoming(session)
    finally:
        session.command("DEL", INCOMING, _TURN)


class Incoming:
    """The new graph while it is filled."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ids: dict[int, int] = {}
        self._places: dict[int, int] = {}

    def fill(self, records: Iterable[JsonObject], schema: Schema) -> None:
        """All records in, then the schema on top. Raises GraphError for records that are none, and DuplicateError."""
        for kind, batch in _batches(checked(records, Tally())):
            self._session.command("EXPIRE", _TURN, _TURN_SECONDS)
            self._put(kind, batch)
        ensure(self._session, INCOMING, schema)

    def become(self, key: str) -> None:
        """Take the old graph's place, in one step of the engine."""
        self._session.write(queries.NOTHING)  # a graph without a record is a graph all the same
        self._session.command("RENAME", INCOMING, key)

    def _put(self, kind: _Kind, batch: list[JsonObject]) -> None:
        what, names, vectors = kind
        if what == "node":
            self._put_nodes(names, vectors, batch)
        else:
            self._put_edges(names[0], vectors, batch)

    def _put_nodes(self, labels: tuple[str, ...], vectors: tuple[str, ...], batch: list[JsonObject]) -> None:
        spelt = "".join(f":{quoted(label)}" for label in labels)
        query = queries.CREATE_NODES.format(labels=spelt, vectors=_vectors("n", vectors))
        rows = [{"node": record["node"], "properties": record["properties"]} for record in batch]
        made = self._session.write(query, {"rows": rows}, _SECONDS)
        self._ids.update((row["node"], row["id"]) for row in made)

    def _put_edges(self, kind: str, vectors: tuple[str, ...], batch: list[JsonObject]) -> None:
        if not self._places:
            self._places = {number: at for at, number in enumerate(sorted(self._ids, key=self._ids.__getitem__))}
        rows = [
            {
                "source": self._places[record["from"]],
                "target": self._places[record["to"]],
                "properties": record["properties"],
            }
            for record in batch
        ]
        query = queries.CREATE_EDGES.format(type=quoted(kind), vectors=_vectors("e", vectors))
        self._session.write(query, {"rows": rows}, _SECONDS)


def _vectors(entity: str, names: tuple[str, ...]) -> str:
    return "".join(queries.AS_VECTOR.format(entity=entity, property=quoted(name)) for name in names)


def _batches(records: Iterable[JsonObject]) -> Iterator[tuple[_Kind, list[JsonObject]]]:
    """Records of a kind together, as many as a query takes; every node before the first edge."""
    waiting: dict[_Kind, list[JsonObject]] = {}
    chars = 0
    for record in records:
        kind = _kind(record)
        if kind[0] == "edge":
            yield from _drained(waiting, lambda other: other[0] == "node")
        batch = waiting.setdefault(kind, [])
        batch.append(record)
        chars += _weight(record)
        if len(batch) == _BATCH:
            yield kind, waiting.pop(kind)
        if chars > _BATCH_CHARS:
            yield from _drained(waiting, lambda _other: True)
            chars = 0
    yield from _drained(waiting, lambda _other: True)


def _drained(
    waiting: dict[_Kind, list[JsonObject]], is_due: Callable[[_Kind], bool]
) -> Iterator[tuple[_Kind, list[JsonObject]]]:
    for kind in [kind for kind in waiting if is_due(kind)]:
        yield kind, waiting.pop(kind)


def _weight(record: JsonObject) -> int:
    """About how many characters a record takes in a query; what is short anyway does not count."""
    return sum(len(cast("str", value)) for value in record["properties"].values() if isinstance(value, str | list))


def _kind(record: JsonObject) -> _Kind:
    vectors = tuple(record.get("vectors", ()))
    if "node" in record:
        return "node", tuple(record["labels"]), vectors
    return "edge", (record["edge"],), vectors
