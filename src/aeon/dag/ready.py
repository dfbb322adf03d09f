"""Which nodes may run now, kept up while others end."""

from collections.abc import Sequence

from aeon.dag.order import dependents_of


class ReadySet:
    """Hands out each node once, when everything it depends on is done. A node on a cycle is never handed out."""

    def __init__(self, dependencies: Sequence[Sequence[int]]) -> None:
        """`dependencies[n]` lists the positions that n depends on."""
        self._dependents = dependents_of(dependencies)
        self._missing = [len(found) for found in dependencies]
        self._ready = [node for node, count in enumerate(self._missing) if count == 0]

    def get_ready(self) -> list[int]:
        """The nodes that became ready since the last call, by position."""
        taken, self._ready = sorted(self._ready), []
        return taken

    def done(self, node: int) -> None:
        """Note that a node is over: what waited for it alone is ready. To be called once for each."""
        for dependent in self._dependents[node]:
            self._missing[dependent] -= 1
            if self._missing[dependent] == 0:
                self._ready.append(dependent)
