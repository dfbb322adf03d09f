"""In which order waiting jobs are executed: shares of priorities, and within one a fair share for each user. Pure.

While jobs of all priorities wait, `high`, `normal` and `low` ones are taken as 16 to 4 to 1, so that no job waits
forever. Within a priority, each user has turns: a job gets the user's next one, and users with a weight of 2 have two
turns where others have one. A user who was away begins at the present turn: waiting saves nothing up, and a thousand
jobs of one user do not delay another one's first (start-time fair queuing).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final, Generic, TypeVar

from aeon.platform.runs.model import Priority

PRIORITIES: Final[tuple[Priority, ...]] = ("high", "normal", "low")

SHARES: Final[Mapping[Priority, int]] = {"high": 16, "normal": 4, "low": 1}
"""How many jobs of each priority are taken while all wait, the first one first."""

TURN: Final = 100_000
"""The distance between two turns of a user with the weight 1; a multiple of every weight up to 10."""

S = TypeVar("S")
T = TypeVar("T")


def turn_length(weight: int) -> int:
    """Return the distance between two turns of a user with this weight."""
    return max(1, TURN // weight)


class PriorityRotation:
    """Chooses the priority of each next job, by `SHARES` of those that wait (smooth weighted round robin)."""

    def __init__(self) -> None:
        self._credit: dict[Priority, int] = dict.fromkeys(PRIORITIES, 0)

    def next(self, waiting: Collection[Priority]) -> Priority:
        """Return the next one of the waiting priorities, of which there must be one."""
        present: list[Priority] = [each for each in PRIORITIES if each in waiting]
        for each in present:
            self._credit[each] += SHARES[each]
        chosen = max(present, key=lambda each: self._credit[each])
        self._credit[chosen] -= sum(SHARES[each] for each in present)
        return chosen

    def split(self, waiting: Collection[Priority], count: int) -> dict[Priority, int]:
        """Return how many of the next `count` jobs each waiting priority has."""
        chosen = [self.next(waiting) for _ in range(count)] if waiting else []
        return {each: chosen.count(each) for each in PRIORITIES if each in chosen}


class _UserTurns(Generic[T]):
    """The waiting items of one priority."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, T]] = []
        self._next: dict[str, int] = {}
        self._number = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, user: str, weight: int, item: T) -> None:
        if not self._waiting:  # nobody waits: all users begin anew
            self._next.clear()
        present = self._waiting[0][0] if self._waiting else 0
        turn = max(present, self._next.get(user, present))
        self._next[user] = turn + turn_length(weight)
        self._number += 1
        heappush(self._waiting, (turn, self._number, item))

    def pop(self) -> T:
        return heappop(self._waiting)[2]


class FairQueue(Generic[T]):
    """Items that wait, each for a user and with a priority."""

    def __init__(self) -> None:
        self._rotation = PriorityRotation()
        self._classes: dict[Priority, _UserTurns[T]] = {each: _UserTurns[T]() for each in PRIORITIES}

    def __len__(self) -> int:
        return sum(map(len, self._classes.values()))

    def add(self, priority: Priority, user: str, weight: int, item: T) -> None:
        """Add an item; `weight` is that of the user."""
        self._classes[priority].add(user, weight, item)

    def pop(self) -> T:
        """Remove and return the item whose turn it is. Raises IndexError if none waits."""
        waiting: list[Priority] = [each for each, items in self._classes.items() if items]
        if not waiting:
            raise IndexError("nothing waits")
        return self._classes[self._rotation.next(waiting)].pop()


def take_by_priority(split: Mapping[Priority, int], take: Callable[[Priority, int], Iterable[T]]) -> list[T]:
    """Take items as `split` says; what one priority does not have, the others may have, the higher first.

    `take` takes at most the given number of items of a priority.
    """
    taken: list[T] = []
    missing = 0
    for priority, count in split.items():
        found = list(take(priority, count + missing))
        missing += count - len(found)
        taken += found
    for priority in split if missing else ():
        found = list(take(priority, missing))
        missing -= len(found)
        taken += found
        if not missing:
            break
    return taken


def take_evenly(sources: Sequence[S], count: int, take: Callable[[S, int], Sequence[T]]) -> list[T]:
    """Take `count` items in all, as evenly as the sources have them; the first ones have one more.

    `take` takes at most the given number of items of a source.
    """
    taken: list[T] = []
    open_sources = [*sources]
    while open_sources and (missing := count - len(taken)) > 0:
        share, more = divmod(missing, len(open_sources))
        full: list[S] = []
        for place, source in enumerate(open_sources):
            wanted = share + (place < more)
            found = take(source, wanted) if wanted else ()
            taken += found
            if len(found) == wanted:
                full.append(source)
        open_sources = full
    return taken
