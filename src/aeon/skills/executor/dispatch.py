"""Which of the nodes that are ready starts next (skills 5): pure bookkeeping, no threads."""

from heapq import heappop, heappush


class Dispatch:
    """Nodes that wait to start, by position. One that must run alone starts only when nothing runs.

    While others run, nodes that may run beside them go first, so that a wait for quiet leaves no core idle.
    """

    def __init__(self, width: int) -> None:
        """`width`: nodes that run at once, at most."""
        self._width = width
        self._sociable: list[int] = []
        self._alone: list[int] = []
        self._is_alone = False
        self.running = 0

    def add(self, position: int, *, is_alone: bool) -> None:
        """Let a node wait for its turn."""
        heappush(self._alone if is_alone else self._sociable, position)

    def take(self) -> int | None:
        """The node that starts now and counts as running from here on, or None while none may."""
        if self._is_alone or self.running >= self._width:
            return None
        waiting = self._next_waiting()
        if not waiting:
            return None
        self.running += 1
        self._is_alone = waiting is self._alone
        return heappop(waiting)

    def ended(self) -> None:
        """Note that a running node is over."""
        self.running -= 1
        self._is_alone = False

    def _next_waiting(self) -> list[int]:
        if self.running or not self._alone:
            return self._sociable
        return self._alone if not self._sociable or self._alone[0] < self._sociable[0] else self._sociable
