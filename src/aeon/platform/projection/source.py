"""Reads the record's nodes and edges from its two views."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, cast

from aeon.base.json import JsonObject, parse_strict
from aeon.platform.projection import queries
from aeon.platform.projection.model import GraphBatch, GraphEdge, GraphNode, GraphScalar, NodeKey, to_graph_properties
from aeon.platform.store import Row, Store, UnitOfWork


class NodePage(NamedTuple):
    """Consecutive nodes of a label: those after the id `after`, up to the last of `ids`."""

    label: str
    after: str
    ids: list[str]

    @property
    def keys(self) -> list[NodeKey]:
        return [NodeKey(self.label, node) for node in self.ids]

    @property
    def params(self) -> JsonObject:
        return {"label": self.label, "after": self.after, "last": self.ids[-1]}


class RecordGraph:
    """The record's current nodes and edges."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def batch(self, references: Sequence[NodeKey], new: Collection[NodeKey]) -> GraphBatch:
        """Returns a batch that updates these nodes and their outgoing edges.

        It also updates the incoming edges of `new` nodes.
        """

        def read(unit: UnitOfWork) -> GraphBatch:
            nodes = [_node(label, row) for label, row in _rows(unit, queries.NODES, references)]
            existing, sources = {node.key for node in nodes}, set(references)
            deleted = [reference for reference in references if reference not in existing]
            targets = [reference for reference in new if reference in existing]
            edges = [_edge(row) for _, row in _rows(unit, queries.EDGES_FROM, references)]
            edges_to = [_edge(row) for _, row in _rows(unit, queries.EDGES_TO, targets)]
            edges += [edge for edge in edges_to if edge.source not in sources]
            return GraphBatch(nodes, deleted, references, targets, edges)

        return self._store.view(read)

    def pages(self, size: int) -> Iterator[NodePage]:
        """Yields all nodes in pages of `size`. Changes in the meantime have events."""
        for label, query in queries.IDS_AFTER.items():
            after = ""
            while rows := self._store.read(query, {"after": after, "limit": size}):
                yield (page := NodePage(label, after, [row["id"] for row in rows]))
                after = page.ids[-1]

    def nodes(self, page: NodePage) -> list[GraphNode]:
        return [_node(page.label, row) for row in self._store.read(queries.NODES_BETWEEN, page.params)]

    def edges(self, page: NodePage) -> list[GraphEdge]:
        """Returns the edges from the nodes of a page."""
        return [_edge(row) for row in self._store.read(queries.EDGES_BETWEEN, page.params)]


def _rows(unit: UnitOfWork, query: str, references: Iterable[NodeKey]) -> Iterator[tuple[str, Row]]:
    """Yields the rows of a query for several ids, each with its label."""
    for label, ids in _by_label(references).items():
        for start in range(0, len(ids), len(queries.ID_NAMES)):
            chunk = ids[start : start + len(queries.ID_NAMES)]
            params = dict(zip_longest(queries.ID_NAMES, chunk, fillvalue=chunk[-1]))
            for row in unit.read(query, {"label": label, **params}):
                yield label, row


def _by_label(references: Iterable[NodeKey]) -> dict[str, list[str]]:
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for label, node in references:
        ids[label].append(node)
    return ids


def _node(label: str, row: Row) -> GraphNode:
    properties, node = _properties(row), row["id"]
    if properties.get("id", node) != node:
        properties["localId"] = properties["id"]
    return GraphNode(NodeKey(label, node), {**properties, "id": node})


def _edge(row: Row) -> GraphEdge:
    source, target = NodeKey(row["from_label"], row["from_id"]), NodeKey(row["to_label"], row["to_id"])
    return GraphEdge(row["type"], source, target, _properties(row))


def _properties(row: Row) -> dict[str, GraphScalar]:
    return to_graph_properties(cast(JsonObject, parse_strict(row["properties"])))
