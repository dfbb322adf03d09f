"""Which of a few marked nodes lie upstream of which others."""

from collections.abc import Sequence

from aeon.dag.order import dependents_of


def marked_ancestors(
    dependencies: Sequence[Sequence[int]], order: Sequence[int], marked: Sequence[int]
) -> dict[int, int]:
    """For each marked node those that it depends on, directly or through any others: bit i stands for `marked[i]`.

    `order` is a topological order of all nodes. A set is kept only while a node still has dependents to pass it to.
    """
    bit = {node: 1 << index for index, node in enumerate(marked)}
    unserved = [len(found) for found in dependents_of(dependencies)]
    seen: dict[int, int] = {}
    above: dict[int, int] = {}
    for node in order:
        bits = 0
        for dependency in dependencies[node]:
            bits |= seen[dependency]
            unserved[dependency] -= 1
            if unserved[dependency] == 0:
                del seen[dependency]
        if node in bit:
            above[node] = bits
        if unserved[node]:
            seen[node] = bits | bit.get(node, 0)
    return above
