"""Which of the nodes that are ready starts next (skills 5): pure bookkeeping, no threads."""

from heapq import heappop, heappush


class ReadyQueue:
    """Nodes that wait to start, by position. One that must run alone starts only when nothing runs.

    While others run, nodes that may run beside them go first, so that a wait for quiet leaves no core idle.
    """

    def __init__(self, width: int) -> None:
        """`width`: nodes that run at once, at most."""
        self._width = width
        self._concurrent: list[int] = []
        self._exclusive: list[int] = []
        self._is_exclusive = False
        self.running = 0

    def add(self, position: int, *, is_alone: bool) -> None:
        """Let a node wait for its turn."""
        heappush(self._exclusive if is_alone else self._concurrent, position)

    def take(self) -> int | None:
        """The node that starts now and counts as running from here on, or None while none may."""
        if self._is_exclusive or self.running >= self._width:
            return None
        waiting = self._next_queue()
        if not waiting:
            return None
        self.running += 1
        self._is_exclusive = waiting is self._exclusive
        return heappop(waiting)

    def release(self) -> None:
        """Note that a running node is over."""
        self.running -= 1
        self._is_exclusive = False

    def _next_queue(self) -> list[int]:
        if self.running or not self._exclusive:
            return self._concurrent
        return self._exclusive if not self._concurrent or self._exclusive[0] < self._concurrent[0] else self._concurrent
