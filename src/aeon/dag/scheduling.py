"""Topological order of dependent nodes: ties are broken by position, cycles are returned as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


@dataclass(frozen=True, slots=True)
class DependencyCycles:
    """The cycles of a graph without an order. Each path ends at its first node; each node depends on the next.

    The paths share no node. Nodes that only depend on a cycle are on none of them.
    """

    paths: tuple[tuple[int, ...], ...]


def topological_order(dependencies: Sequence[Sequence[int]]) -> list[int] | DependencyCycles:
    """All positions, each after those it depends on; the lexicographically smallest such order.

    `dependencies[n]` lists the positions that n depends on; duplicates are harmless.
    Kahn's algorithm over integers: linear in nodes and edges, apart from the heap that breaks ties. Nothing recurses.
    """
    dependents = dependents_of(dependencies)
    missing = [len(listed) for listed in dependencies]
    ready = [node for node, count in enumerate(missing) if count == 0]
    heapify(ready)
    order: list[int] = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for dependent in dependents[node]:
            missing[dependent] -= 1
            if missing[dependent] == 0:
                heappush(ready, dependent)
    return order if len(order) == len(dependencies) else DependencyCycles(tuple(_cycles(dependencies, missing)))


def dependents_of(dependencies: Sequence[Sequence[int]]) -> list[list[int]]:
    """The reversed edges: for each position, the positions that depend on it."""
    dependents: list[list[int]] = [[] for _ in dependencies]
    for node, listed in enumerate(dependencies):
        for dependency in listed:
            dependents[dependency].append(node)
    return dependents


def _cycles(dependencies: Sequence[Sequence[int]], missing: Sequence[int]) -> list[tuple[int, ...]]:
    """Follows each blocked node to its first blocked dependency: one way out of each, so every walk ends in a cycle."""
    onward = {
        node: next(dependency for dependency in dependencies[node] if missing[dependency])
        for node, count in enumerate(missing)
        if count
    }
    walked_from: dict[int, int] = {}
    cycles: list[tuple[int, ...]] = []
    for start in onward:
        node = start
        while node not in walked_from:
            walked_from[node] = start
            node = onward[node]
        if walked_from[node] == start:
            cycles.append(_path_from(node, onward))
    return cycles


def _path_from(member: int, onward: dict[int, int]) -> tuple[int, ...]:
    path = [member]
    while (node := onward[path[-1]]) != member:
        path.append(node)
    first = path.index(min(path))
    return (*path[first:], *path[:first], path[first])


def marked_ancestors(
    dependencies: Sequence[Sequence[int]], order: Sequence[int], marked: Sequence[int]
) -> dict[int, int]:
    """For each marked node, the marked nodes it depends on, directly or indirectly: bit i stands for `marked[i]`.

    `order` is a topological order of all nodes. A set is kept only until the node's last dependent has read it.
    """
    bit = {node: 1 << index for index, node in enumerate(marked)}
    unserved = [len(dependents) for dependents in dependents_of(dependencies)]
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


class ReadySet:
    """Yields each node once, when all its dependencies are done. A node on a cycle is never ready."""

    def __init__(self, dependencies: Sequence[Sequence[int]]) -> None:
        """`dependencies[n]` lists the positions that n depends on."""
        self._dependents = dependents_of(dependencies)
        self._missing = [len(listed) for listed in dependencies]
        self._ready = [node for node, count in enumerate(self._missing) if count == 0]

    def get_ready(self) -> list[int]:
        """The nodes that became ready since the last call, by position."""
        taken, self._ready = sorted(self._ready), []
        return taken

    def done(self, node: int) -> None:
        """Records that a node is done: nodes that waited only for it become ready. Call it once for each node."""
        for dependent in self._dependents[node]:
            self._missing[dependent] -= 1
            if self._missing[dependent] == 0:
                self._ready.append(dependent)
