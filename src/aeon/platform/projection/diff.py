"""Whether a graph equals the record, node by node, edge by edge, property by property."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from aeon.platform.projection.model import GraphEdge, GraphNode, GraphScalar, NodeKey
from aeon.platform.projection.source import RecordGraph
from aeon.platform.projection.target import GraphTarget
from aeon.platform.store import Store

_PAGE = 500

_Value: TypeAlias = tuple[str, str, GraphScalar]
"""A property: name, type and value. Python calls 1, 1.0 and True equal."""


def find_differences(store: Store, target: GraphTarget) -> Iterator[str]:
    """What is in the record or in the graph but not in both, one line each without a property's value.

    Nothing may change while they are compared. Two values are equal if the target answers the one for the other
    (`GraphTarget.kept`). An edge to a node that the record does not have is left out.
    """
    record = RecordGraph(store)
    known = {reference for page in record.pages(_PAGE) for reference in page.keys}
    for page in record.pages(_PAGE):
        nodes, edges = record.nodes(page), [edge for edge in record.edges(page) if edge.target in known]
        found_nodes, found_edges = target.fetch(page.keys)
        yield from _compared(_node_values(nodes, target), _node_values(found_nodes, target))
        yield from _compared(_edge_values(edges, target), _edge_values(found_edges, target))
    if len(known) != (there := target.count()):
        yield f"{len(known)} nodes in the record, {there} in the graph"


def _compared(expected: "Counter[_Thing]", found: "Counter[_Thing]") -> Iterator[str]:
    for (name, values), _ in sorted((expected - found).items(), key=repr):
        yield f"not in the graph: {name} with {', '.join(value[0] for value in values)}"
    for (name, values), _ in sorted((found - expected).items(), key=repr):
        yield f"not in the record: {name} with {', '.join(value[0] for value in values)}"


_Thing: TypeAlias = tuple[str, tuple[_Value, ...]]


def _node_values(nodes: Iterable[GraphNode], target: GraphTarget) -> Counter[_Thing]:
    return Counter((_said(node.key), _values(node.properties, target)) for node in nodes)


def _edge_values(edges: Iterable[GraphEdge], target: GraphTarget) -> Counter[_Thing]:
    return Counter(
        (f"{_said(edge.source)} -{edge.type}-> {_said(edge.target)}", _values(edge.properties, target))
        for edge in edges
    )


def _values(properties: Mapping[str, GraphScalar], target: GraphTarget) -> tuple[_Value, ...]:
    return tuple((name, type(value).__name__, target.round_trip(value)) for name, value in sorted(properties.items()))


def _said(reference: NodeKey) -> str:
    return f"{reference.label} {reference.id}"
