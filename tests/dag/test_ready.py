"""What is ready while nodes end (skills 5)."""

import random

from hypothesis import given
from hypothesis import strategies as st

from aeon.dag.scheduling import ReadySet
from aeon.testing.scripts import acyclic_dependencies


@given(st.integers(0, 100_000))
def test_each_node_is_handed_out_once_and_only_after_what_it_depends_on(seed):
    dependencies = acyclic_dependencies(seed)
    chance, ready = random.Random(seed), ReadySet(dependencies)
    over, waiting = [], ready.get_ready()
    assert waiting == [n for n, found in enumerate(dependencies) if not found]
    while waiting:
        node = waiting.pop(chance.randrange(len(waiting)))
        assert all(needed in over for needed in dependencies[node])
        over.append(node)
        ready.done(node)
        waiting += ready.get_ready()
    assert sorted(over) == list(range(len(dependencies)))


def test_nodes_that_become_ready_come_by_position():
    ready = ReadySet([[], [], [0], [0], [1]])
    assert ready.get_ready() == [0, 1]
    assert ready.get_ready() == []
    ready.done(1)
    ready.done(0)
    assert ready.get_ready() == [2, 3, 4]


def test_a_node_on_a_cycle_is_never_handed_out():
    ready = ReadySet([[], [2], [1]])
    assert ready.get_ready() == [0]
    ready.done(0)
    assert ready.get_ready() == []
