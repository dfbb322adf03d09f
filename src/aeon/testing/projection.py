"""A projection target in memory, and the conformance suite of projection targets.

class TestMine(TargetConformance):
    @pytest.fixture
    def target(self):
        return MyTarget()
"""

from collections.abc import Collection, Sequence

import pytest

from aeon.platform.projection import (
    GraphBatch,
    GraphEdge,
    GraphNode,
    GraphScalar,
    GraphTarget,
    NodeKey,
    ProjectionClaim,
    ProjectionMovedError,
    TargetUnavailableError,
)

ANN, BOB = NodeKey("User", "ann"), NodeKey("User", "Ann")
TOOL = NodeKey("Tool", "t/1")

VALUES: dict[str, GraphScalar] = {
    "text": "x'y\"z\\ \n$row ä 日本 \U0001f642",
    "empty": "",
    "yes": True,
    "no": False,
    "zero": 0,
    "least": -(2**63),
    "most": 2**63 - 1,
    "sum": 0.1 + 0.2,
    "small": 5e-324,
    "large": 1.7976931348623157e308,
    "whole": 3.0,
    "output.variable": "a name with a dot",
    "json": '{"a":[1,2.5,null]}',
}


class InMemoryGraph:
    """A `GraphTarget` in memory.

    While it `is_down`, everything raises. `cut_after` interrupts the next batch after that number of its four steps.
    """

    def __init__(self) -> None:
        self.is_down = False
        self.cut_after: int | None = None
        self._stamp = ""
        self._is_cut_off = False
        self._claims = 0
        self._nodes: dict[NodeKey, dict[str, GraphScalar]] = {}
        self._edges: list[GraphEdge] = []

    @property
    def name(self) -> str:
        return "a graph in memory"

    def stamp(self) -> str:
        self._require_up()
        return self._stamp

    def clear(self, stamp: str) -> None:
        self._require_up()
        self._nodes, self._edges, self._stamp, self._is_cut_off = {}, [], stamp, False
        self._claims += 1

    def claim(self, expected: str) -> ProjectionClaim:
        self._require_up()
        if self._stamp != expected:
            raise ProjectionMovedError
        self._claims += 1
        return ProjectionClaim(str(self._claims), self._is_cut_off)

    def find_missing(self, references: Sequence[NodeKey], claim: ProjectionClaim) -> Collection[NodeKey]:
        self._require_up()
        return set(references) - (set() if claim.is_cut_off else self._nodes.keys())

    def apply(self, batch: GraphBatch, claim: ProjectionClaim, stamp: str) -> None:
        self._require_up()
        if claim.token != str(self._claims):
            raise ProjectionMovedError
        steps = [self._delete_nodes, self._put_nodes, self._delete_edges, self._create_edges]
        for step in steps[: self.cut_after]:
            step(batch)
        if self.cut_after is not None:
            self.cut_after, self._is_cut_off = None, True
            raise TargetUnavailableError
        self._stamp, self._is_cut_off = stamp, False

    def fetch(self, references: Sequence[NodeKey]) -> tuple[list[GraphNode], list[GraphEdge]]:
        self._require_up()
        wanted = set(references)
        nodes = [GraphNode(reference, self._nodes[reference]) for reference in wanted & self._nodes.keys()]
        return nodes, [edge for edge in self._edges if edge.source in wanted]

    def count(self) -> int:
        self._require_up()
        return len(self._nodes)

    def round_trip(self, value: GraphScalar) -> GraphScalar:
        return value

    def close(self) -> None:
        pass

    def _require_up(self) -> None:
        if self.is_down:
            raise TargetUnavailableError

    def _delete_nodes(self, batch: GraphBatch) -> None:
        for reference in batch.deleted:
            self._nodes.pop(reference, None)
        self._edges = [edge for edge in self._edges if edge.source in self._nodes and edge.target in self._nodes]

    def _put_nodes(self, batch: GraphBatch) -> None:
        self._nodes.update(batch.nodes)

    def _delete_edges(self, batch: GraphBatch) -> None:
        sources, sinks = set(batch.edge_sources), set(batch.edge_targets)
        self._edges = [edge for edge in self._edges if edge.source not in sources and edge.target not in sinks]

    def _create_edges(self, batch: GraphBatch) -> None:
        existing = self._nodes.keys()
        self._edges += [edge for edge in batch.edges if edge.source in existing and edge.target in existing]


def _node(reference: NodeKey, **properties: GraphScalar) -> GraphNode:
    return GraphNode(reference, {**properties, "id": reference.id})


def _edge(source: NodeKey, target: NodeKey, kind: str = "OWNED_BY", **properties: GraphScalar) -> GraphEdge:
    return GraphEdge(kind, source, target, dict(properties))


def _apply(target: GraphTarget, batch: GraphBatch, stamp: str) -> None:
    target.apply(batch, target.claim(target.stamp()), stamp)


def _missing(target: GraphTarget, references: Sequence[NodeKey]) -> set[NodeKey]:
    return set(target.find_missing(references, target.claim(target.stamp())))


class TargetConformance:
    """The contract of `GraphTarget`. A subclass defines a fixture `target` without a projection."""

    @pytest.fixture
    def begun(self, target: GraphTarget) -> GraphTarget:
        """A target with two users and a tool of one of them, at stamp 1."""
        target.clear("0")
        nodes = [_node(ANN, n=1), _node(BOB), _node(TOOL)]
        _apply(target, GraphBatch(nodes=nodes, edges=[_edge(TOOL, ANN, since="x")]), "1")
        return target

    def test_a_target_without_a_projection_is_empty(self, target: GraphTarget) -> None:
        assert target.stamp() == ""
        assert target.count() == 0
        assert target.fetch([ANN]) == ([], [])
        assert set(target.find_missing([ANN], ProjectionClaim("", is_cut_off=False))) == {ANN}
        with pytest.raises(ProjectionMovedError):
            target.claim("0")

    def test_values_are_answered_as_the_target_keeps_them(self, target: GraphTarget) -> None:
        target.clear("0")
        nodes = [_node(ANN, **VALUES), _node(TOOL)]
        _apply(target, GraphBatch(nodes=nodes, edges=[GraphEdge("OWNED_BY", TOOL, ANN, VALUES)]), "1")
        nodes, edges = target.fetch([ANN, TOOL])
        kept = {name: target.round_trip(value) for name, value in VALUES.items()}
        assert next(node.properties for node in nodes if node.key == ANN) == {**kept, "id": "ann"}
        assert edges == [GraphEdge("OWNED_BY", TOOL, ANN, kept)]
        assert {name: type(value) for name, value in edges[0].properties.items()} == {
            name: type(value) for name, value in VALUES.items()
        }

    def test_a_node_has_the_last_properties_and_no_others(self, begun: GraphTarget) -> None:
        _apply(begun, GraphBatch(nodes=[_node(ANN, m=2)]), "2")
        assert begun.fetch([ANN])[0] == [_node(ANN, m=2)]
        assert begun.fetch([TOOL])[1] == [_edge(TOOL, ANN, since="x")]
        assert begun.count() == len([ANN, BOB, TOOL])

    def test_ids_differ_by_label_case_and_accent(self, target: GraphTarget) -> None:
        ids = ["ann", "Ann", "ANN", "a nn", "änn", "a\u0308nn", "a'n\"n\\", "a,n", "a|n", "a*", "{a}", "0", "a" * 200]
        references = [NodeKey(label, node) for label in ("User", "Tool") for node in ids]
        target.clear("0")
        for stamp in ("1", "2"):
            _apply(target, GraphBatch(nodes=[_node(reference) for reference in references]), stamp)
        assert target.count() == len(references)
        assert not _missing(target, references)
        assert sorted(node.key for node in target.fetch(references)[0]) == sorted(references)

    def test_a_node_that_is_gone_takes_its_edges(self, begun: GraphTarget) -> None:
        _apply(begun, GraphBatch(deleted=[ANN, NodeKey("Tool", "never there")]), "2")
        assert begun.count() == len([BOB, TOOL])
        assert begun.fetch([ANN, TOOL])[1] == []
        assert set(_missing(begun, [ANN, TOOL])) == {ANN}

    def test_edges_are_replaced_by_their_source_and_by_their_sink(self, begun: GraphTarget) -> None:
        _apply(begun, GraphBatch(edge_sources=[TOOL], edges=[_edge(TOOL, BOB), _edge(TOOL, ANN, "USES", n=1)]), "2")
        assert sorted(begun.fetch([TOOL])[1]) == sorted([_edge(TOOL, BOB), _edge(TOOL, ANN, "USES", n=1)])
        _apply(begun, GraphBatch(edge_targets=[BOB], edges=[_edge(ANN, BOB, "KNOWS")]), "3")
        assert sorted(begun.fetch([TOOL, ANN])[1]) == sorted([_edge(TOOL, ANN, "USES", n=1), _edge(ANN, BOB, "KNOWS")])

    def test_two_edges_between_the_same_nodes_stay_two(self, begun: GraphTarget) -> None:
        edges = [_edge(TOOL, BOB, version=1), _edge(TOOL, BOB, version=2)]
        for stamp in ("2", "3"):
            _apply(begun, GraphBatch(edge_sources=[TOOL], edges=edges), stamp)
        stored = begun.fetch([TOOL])[1]
        assert sorted(stored, key=repr) == sorted(edges, key=repr)

    def test_an_edge_without_one_of_its_nodes_is_left_out(self, begun: GraphTarget) -> None:
        _apply(begun, GraphBatch(edges=[_edge(TOOL, NodeKey("User", "carl")), _edge(NodeKey("Tool", "x"), ANN)]), "2")
        assert begun.count() == len([ANN, BOB, TOOL])
        assert begun.fetch([TOOL])[1] == [_edge(TOOL, ANN, since="x")]

    def test_a_claim_at_a_different_stamp_is_refused(self, begun: GraphTarget) -> None:
        with pytest.raises(ProjectionMovedError):
            begun.claim("0")
        assert begun.stamp() == "1"

    @pytest.mark.parametrize("later", ["claim", "apply", "clear"])
    def test_a_claim_ends_with_a_later_one(self, begun: GraphTarget, later: str) -> None:
        early = begun.claim("1")
        if later == "clear":
            begun.clear("0")
            _apply(begun, GraphBatch(nodes=[_node(ANN, n=1), _node(BOB), _node(TOOL)]), "2")
        elif later == "apply":
            _apply(begun, GraphBatch(), "2")
        else:
            begun.claim("1")
        stamp = begun.stamp()
        with pytest.raises(ProjectionMovedError):
            begun.apply(GraphBatch(nodes=[_node(ANN)], deleted=[BOB], edge_sources=[TOOL]), early, "3")
        assert begun.stamp() == stamp
        assert begun.fetch([ANN])[0] == [_node(ANN, n=1)]
        assert not _missing(begun, [BOB])

    def test_a_cleared_target_is_empty_at_the_new_stamp(self, begun: GraphTarget) -> None:
        begun.clear("new")
        assert begun.stamp() == "new"
        assert begun.count() == 0
        assert begun.fetch([TOOL]) == ([], [])
