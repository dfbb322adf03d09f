"""A graph that is accessed by Cypher, as the target of the projection."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol
from uuid import uuid4

from aeon.adapters.projection import queries
from aeon.adapters.projection.queries import with_names
from aeon.base.json import Json, JsonObject
from aeon.platform.projection import (
    GraphBatch,
    GraphEdge,
    GraphNode,
    GraphScalar,
    NodeKey,
    ProjectionClaim,
    ProjectionMovedError,
)

_PROJECTION_LABEL = "Aeon"


class CypherStatement(NamedTuple):
    """A query with its parameters."""

    query: str
    params: JsonObject


class CypherConnection(Protocol):
    """A connection to a server of one kind. All methods raise ProjectionError."""

    @property
    def name(self) -> str: ...

    def read(self, statement: CypherStatement) -> list[JsonObject]:
        """Returns the rows of a read-only query; none for a graph without any writes."""
        ...

    def write(self, statements: Sequence[CypherStatement]) -> list[JsonObject]:
        """Runs the statements, and returns the rows of the last one.

        A server with transactions rolls all of them back if one fails, or if the last one returns no rows.
        """
        ...

    def index(self, label: str) -> None:
        """Indexes the nodes of a label by id. Calling it again does nothing."""
        ...

    def round_trip(self, value: GraphScalar) -> GraphScalar:
        """Returns what the server returns for a stored value."""
        ...

    def close(self) -> None: ...


class CypherGraph:
    """A `GraphTarget` on one connection. It is as thread-safe as the connection."""

    def __init__(self, connection: CypherConnection) -> None:
        self._connection = connection
        self._indexed: set[str] = set()

    @property
    def name(self) -> str:
        return self._connection.name

    def stamp(self) -> str:
        rows = self._read(queries.STAMP)
        return str(rows[0]["stamp"]) if rows else ""

    def clear(self, stamp: str) -> None:
        """Deletes the projection.

        It sets the token first, so that other projectors lose their claims and stop.
        """
        self._indexed.clear()
        self._index(["AeonProjection"])
        token: JsonObject = {"token": uuid4().hex}
        self._connection.write([CypherStatement(queries.SET_STAMP, {**token, "stamp": stamp})])
        while any(row["deleted"] for row in self._connection.write([CypherStatement(queries.DELETE_SOME, token)])):
            pass

    def claim(self, expected: str) -> ProjectionClaim:
        params: JsonObject = {"expected": expected, "token": uuid4().hex}
        rows = self._connection.write(
            [CypherStatement(queries.CLAIM, params), CypherStatement(queries.CLAIMED, params)]
        )
        if not rows:
            raise ProjectionMovedError
        return ProjectionClaim(params["token"], bool(rows[0]["cut_off"]))

    def find_missing(self, references: Sequence[NodeKey], claim: ProjectionClaim) -> Collection[NodeKey]:
        if claim.is_cut_off:
            return set(references)
        existing = {
            NodeKey(label, row["id"])
            for label, ids in _by_label(references).items()
            for row in self._read(with_names(queries.EXISTING, LABEL=label), ids)
        }
        return set(references) - existing

    def apply(self, batch: GraphBatch, claim: ProjectionClaim, stamp: str) -> None:
        self._index(node.key.label for node in batch.nodes)
        token: JsonObject = {"token": claim.token}
        steps = [CypherStatement(query, {**token, "rows": rows}) for query, rows in _steps(batch)]
        if not self._connection.write([*steps, CypherStatement(queries.COMMIT_STAMP, {**token, "stamp": stamp})]):
            raise ProjectionMovedError

    def fetch(self, references: Sequence[NodeKey]) -> tuple[list[GraphNode], list[GraphEdge]]:
        nodes: list[GraphNode] = []
        edges: list[GraphEdge] = []
        for label, ids in _by_label(references).items():
            rows = self._read(with_names(queries.NODES, LABEL=label), ids)
            nodes += [GraphNode(NodeKey(label, row["id"]), row["properties"]) for row in rows]
            rows = self._read(with_names(queries.EDGES, LABEL=label), ids)
            edges += [_edge(label, row) for row in rows]
        return nodes, edges

    def count(self) -> int:
        return sum(row["nodes"] for row in self._read(queries.COUNT))

    def round_trip(self, value: GraphScalar) -> GraphScalar:
        return self._connection.round_trip(value)

    def close(self) -> None:
        self._connection.close()

    def _read(self, query: str, rows: list[Json] | None = None) -> list[JsonObject]:
        return self._connection.read(CypherStatement(query, {} if rows is None else {"rows": rows}))

    def _index(self, labels: Iterable[str]) -> None:
        for label in set(labels) - self._indexed:
            self._connection.index(label)
            self._indexed.add(label)


def _steps(batch: GraphBatch) -> Iterator[tuple[str, list[Json]]]:
    """Yields the queries of a batch in order, each with its rows."""
    for label, ids in _by_label(batch.deleted).items():
        yield with_names(queries.DELETE_NODES, LABEL=label), ids
    nodes: defaultdict[str, list[Json]] = defaultdict(list)
    for (label, node), properties in batch.nodes:
        nodes[label].append({"id": node, "properties": properties})
    for label, rows in nodes.items():
        yield with_names(queries.PUT_NODES, LABEL=label), rows
    for label, ids in _by_label(batch.edge_sources).items():
        yield with_names(queries.DELETE_EDGES_FROM, LABEL=label), ids
    for label, ids in _by_label(batch.edge_targets).items():
        yield with_names(queries.DELETE_EDGES_TO, LABEL=label), ids
    yield from _edge_steps(batch.edges)


def _edge_steps(edges: Iterable[GraphEdge]) -> Iterator[tuple[str, list[Json]]]:
    kinds: defaultdict[tuple[str, str, str], list[Json]] = defaultdict(list)
    for edge in edges:
        row = {"source": edge.source.id, "target": edge.target.id, "properties": edge.properties}
        kinds[edge.type, edge.source.label, edge.target.label].append(row)
    for (kind, label, other), rows in kinds.items():
        yield with_names(queries.CREATE_EDGES, TYPE=kind, LABEL=label, OTHER=other), rows


def _by_label(references: Iterable[NodeKey]) -> dict[str, list[Json]]:
    ids: defaultdict[str, list[Json]] = defaultdict(list)
    for label, node in references:
        ids[label].append(node)
    return ids


def _edge(label: str, row: JsonObject) -> GraphEdge:
    other = next((name for name in row["labels"] if name != _PROJECTION_LABEL), "")
    return GraphEdge(row["type"], NodeKey(label, row["source"]), NodeKey(other, row["target"]), row["properties"])
