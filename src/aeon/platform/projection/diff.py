"""Compares a graph with the record, node by node, edge by edge, property by property."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from aeon.platform.projection.model import GraphEdge, GraphNode, GraphScalar, NodeKey
from aeon.platform.projection.source import RecordGraph
from aeon.platform.projection.target import GraphTarget
from aeon.platform.store import Store

_PAGE = 500

_Value: TypeAlias = tuple[str, str, GraphScalar]
"""A property: name, type and value. The type distinguishes 1, 1.0 and True, which Python compares as equal."""


def find_differences(store: Store, target: GraphTarget) -> Iterator[str]:
    """Yields a line for each difference of record and graph, without property values.

    Nothing may change during the comparison. Two values are equal if the target returns one for the other
    (`GraphTarget.round_trip`). Edges to nodes that the record does not contain are ignored.
    """
    record = RecordGraph(store)
    known = {reference for page in record.pages(_PAGE) for reference in page.keys}
    for page in record.pages(_PAGE):
        nodes, edges = record.nodes(page), [edge for edge in record.edges(page) if edge.target in known]
        graph_nodes, graph_edges = target.fetch(page.keys)
        yield from _compare(_node_values(nodes, target), _node_values(graph_nodes, target))
        yield from _compare(_edge_values(edges, target), _edge_values(graph_edges, target))
    if len(known) != (count := target.count()):
        yield f"{len(known)} nodes in the record, {count} in the graph"


def _compare(expected: "Counter[_Thing]", actual: "Counter[_Thing]") -> Iterator[str]:
    for (name, values), _ in sorted((expected - actual).items(), key=repr):
        yield f"not in the graph: {name} with {', '.join(value[0] for value in values)}"
    for (name, values), _ in sorted((actual - expected).items(), key=repr):
        yield f"not in the record: {name} with {', '.join(value[0] for value in values)}"


_Thing: TypeAlias = tuple[str, tuple[_Value, ...]]


def _node_values(nodes: Iterable[GraphNode], target: GraphTarget) -> Counter[_Thing]:
    return Counter((_described(node.key), _values(node.properties, target)) for node in nodes)


def _edge_values(edges: Iterable[GraphEdge], target: GraphTarget) -> Counter[_Thing]:
    return Counter(
        (f"{_described(edge.source)} -{edge.type}-> {_described(edge.target)}", _values(edge.properties, target))
        for edge in edges
    )


def _values(properties: Mapping[str, GraphScalar], target: GraphTarget) -> tuple[_Value, ...]:
    return tuple((name, type(value).__name__, target.round_trip(value)) for name, value in sorted(properties.items()))


def _described(reference: NodeKey) -> str:
    return f"{reference.label} {reference.id}"
