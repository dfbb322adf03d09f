"""Nodes and edges of the record, with properties that a graph database can store."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject, canonical_json

GraphScalar: TypeAlias = str | int | float | bool
"""The value of a property in the graph."""

_INTEGER_LIMIT = 2**63


class NodeKey(NamedTuple):
    """Identifies a node by its label and its id, which is unique among the nodes of the label."""

    label: str
    id: str


class GraphNode(NamedTuple):
    """A node.

    Its `properties` contain its id as `id`; the id of a step within its Process is `localId`.
    """

    key: NodeKey
    properties: dict[str, GraphScalar]


class GraphEdge(NamedTuple):
    """An edge from `source` to `target`."""

    type: str
    source: NodeKey
    target: NodeKey
    properties: dict[str, GraphScalar]


class ProjectionClaim(NamedTuple):
    """The right to apply the next batch, until another process claims it.

    `is_cut_off` is set if an earlier batch was applied only in part.
    """

    token: str
    is_cut_off: bool


class GraphBatch(NamedTuple):
    """An idempotent change of the graph, repeatable even if applied in part.

    In this order: `deleted` nodes are deleted with their edges; `nodes` are created or get exactly these properties;
    the edges from `edge_sources` and to `edge_targets` are deleted; `edges` whose two nodes exist are created.
    """

    nodes: Sequence[GraphNode] = ()
    deleted: Sequence[NodeKey] = ()
    edge_sources: Sequence[NodeKey] = ()
    edge_targets: Sequence[NodeKey] = ()
    edges: Sequence[GraphEdge] = ()


def to_graph_properties(properties: JsonObject) -> dict[str, GraphScalar]:
    """Converts properties to values that a graph can store.

    Omits None. Lists and objects become JSON text, and so do integers beyond 64 bits and strings with NUL or lone
    surrogates.
    """
    return {name: _to_scalar(value) for name, value in properties.items() if value is not None}


def _to_scalar(value: Json) -> GraphScalar:
    match value:
        case bool() | float():
            return value
        case int() if -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
            return value
        case str() if _is_storable(value):
            return value
        case _:
            return canonical_json(value)


def _is_storable(value: str) -> bool:
    if "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
