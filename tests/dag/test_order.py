"""Topological order and cycles (skills 6, 7)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.dag.scheduling import DependencyCycles, dependents_of, topological_order


@st.composite
def graphs(draw, most=9):
    """Dependencies of a few nodes, in any direction, loops and repetitions included."""
    size = draw(st.integers(0, most))
    position = st.integers(0, max(0, size - 1))
    return [draw(st.lists(position, max_size=3)) for _ in range(size)]


@st.composite
def acyclic(draw, most=9):
    """Dependencies that follow some hidden order, which is not that of the positions."""
    size = draw(st.integers(0, most))
    rank = draw(st.permutations(range(size)))
    pairs = [(a, b) for a in range(size) for b in range(size) if rank[a] < rank[b]]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=20)) if pairs else []
    return [[a for a, b in edges if b == node] for node in range(size)]


def smallest_first(dependencies):
    """The definition itself: of what may come next, always the smallest position. Quadratic and plain."""
    order = []
    while len(order) < len(dependencies):
        order.append(
            next(n for n, found in enumerate(dependencies) if n not in order and all(d in order for d in found))
        )
    return order


@given(acyclic())
def test_the_order_respects_every_edge_and_is_the_first_of_all_by_position(dependencies):
    """Skills 6: topological order, ties broken by position."""
    order = topological_order(dependencies)
    assert order == smallest_first(dependencies)
    assert sorted(order) == list(range(len(dependencies)))


@given(graphs())
def test_a_graph_has_an_order_or_cycles_that_are_real(dependencies):
    """Skills 7: a cycle is reported with its path, each node on it depending on the next."""
    found = topological_order(dependencies)
    if not isinstance(found, DependencyCycles):
        place = {node: index for index, node in enumerate(found)}
        assert all(place[d] < place[n] for n, needed in enumerate(dependencies) for d in needed)
        return
    assert found.paths
    for path in found.paths:
        assert path[0] == path[-1] == min(path)
        assert len(set(path)) == len(path) - 1
        assert all(needed in dependencies[node] for node, needed in pairwise(path))
    members = [node for path in found.paths for node in path[1:]]
    assert len(members) == len(set(members)), "the paths share no node"


def test_a_cycle_reads_from_its_first_node_round_to_it():
    assert topological_order([[1], [0]]) == DependencyCycles(((0, 1, 0),))
    assert topological_order([[0]]) == DependencyCycles(((0, 0),))
    assert topological_order([[], [3], [1], [2], [1]]) == DependencyCycles(((1, 3, 2, 1),))


def test_separate_cycles_are_all_reported():
    assert topological_order([[1], [0], [], [4], [3]]) == DependencyCycles(((0, 1, 0), (3, 4, 3)))


def test_nothing_has_the_empty_order():
    assert topological_order([]) == []


def test_dependents_are_the_edges_seen_from_the_other_end():
    assert dependents_of([[], [0], [0, 1]]) == [[1, 2], [2], []]


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_a_hundred_thousand_nodes_take_about_a_second_and_nothing_recurses():
    """Skills 7: linear in nodes and edges; chains of any length."""
    size = 100_000
    shapes = {
        "chain": [[n - 1] if n else [] for n in range(size)],
        "chain against the positions": [[n + 1] if n + 1 < size else [] for n in range(size)],
        "star": [[0] if n else [] for n in range(size)],
        "three edges each": [[n // 2, n // 3, n // 5] if n else [] for n in range(size)],
        "one long cycle": [[(n + 1) % size] for n in range(size)],
    }
    for dependencies in shapes.values():
        topological_order(dependencies)
