"""Nodes and edges of the record, with properties that a graph can hold."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject, canonical_json

GraphScalar: TypeAlias = str | int | float | bool
"""A value of a property in the graph."""

_LARGEST = 2**63


class NodeKey(NamedTuple):
    """A node by its label and its id, which is unique among the nodes of the label."""

    label: str
    id: str


class GraphNode(NamedTuple):
    """A node. Its `properties` have its id as `id`; the id of a step within its Process is `localId`."""

    key: NodeKey
    properties: dict[str, GraphScalar]


class GraphEdge(NamedTuple):
    """An edge from `source` to `target`."""

    type: str
    source: NodeKey
    target: NodeKey
    properties: dict[str, GraphScalar]


class ProjectionClaim(NamedTuple):
    """The right to apply the next batch, which ends when somebody else claims it.

    `is_cut_off` says that an earlier batch was applied in part.
    """

    token: str
    is_cut_off: bool


class GraphBatch(NamedTuple):
    """A change of the graph. Applying it again changes nothing, also where it was applied in part.

    In this order: `gone` nodes are deleted with their edges, `nodes` are created or get these properties and no others,
    the edges from `sources` and those to `sinks` are deleted, and `edges` are created whose two nodes are there.
    """

    nodes: Sequence[GraphNode] = ()
    deleted: Sequence[NodeKey] = ()
    edge_sources: Sequence[NodeKey] = ()
    edge_targets: Sequence[NodeKey] = ()
    edges: Sequence[GraphEdge] = ()


def to_graph_properties(properties: JsonObject) -> dict[str, GraphScalar]:
    """The properties as a graph can hold them.

    None is left out. Lists and objects are JSON text, and so are integers beyond 64 bits and texts with NUL or half a
    surrogate pair.
    """
    return {name: _plain(value) for name, value in properties.items() if value is not None}


def _plain(value: Json) -> GraphScalar:
    match value:
        case bool() | float():
            return value
        case int() if -_LARGEST <= value < _LARGEST:
            return value
        case str() if _is_text(value):
            return value
        case _:
            return canonical_json(value)


def _is_text(value: str) -> bool:
    if "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
