"""Who is upstream of whom."""

from hypothesis import given
from hypothesis import strategies as st

from aeon.dag.scheduling import marked_ancestors, topological_order
from aeon.testing.scripts import acyclic_dependencies


def walked(dependencies, node):
    """Every node above this one, by walking."""
    seen, todo = set(), list(dependencies[node])
    while todo:
        above = todo.pop()
        if above not in seen:
            seen.add(above)
            todo += dependencies[above]
    return seen


@given(st.integers(0, 100_000), st.sets(st.integers(0, 8)))
def test_upstream_is_what_a_walk_finds(seed, some):
    dependencies = acyclic_dependencies(seed)
    marked = sorted(node for node in some if node < len(dependencies))
    found = marked_ancestors(dependencies, topological_order(dependencies), marked)
    assert set(found) == set(marked)
    for node, bits in found.items():
        assert {other for index, other in enumerate(marked) if bits >> index & 1} == walked(dependencies, node) & set(
            marked
        )
