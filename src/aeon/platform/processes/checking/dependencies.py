"""What the steps of a Process depend on: backwards only, and nothing between parallel neighbours (platform 7)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from aeon.platform.processes.checking.problems import DefinitionProblem
from aeon.platform.processes.definition import ProcessStep
from aeon.platform.processes.words import join_names


class StepDependencies:
    """Who stands before whom in the chains of `dependsOn`. Of steps that share an id the first one is meant."""

    def __init__(self, steps: Sequence[ProcessStep]) -> None:
        self.steps = steps
        self.positions: dict[str, int] = {}
        for place, step in enumerate(steps):
            self.positions.setdefault(step.id, place)
        self._groups = _groups(steps)
        self._above = self._ancestors()

    def is_ancestor(self, place: int, below: int) -> bool:
        """Whether the step at `below` depends on the one at `place`, through others or directly (platform 6)."""
        return bool(self._above[below] >> place & 1)

    def problems(self) -> Iterator[DefinitionProblem]:
        """Everything wrong with the steps' dependsOn, then the cycles among them."""
        for place, step in enumerate(self.steps):
            for number, needed in enumerate(step.depends_on):
                if found := self._problem(place, number, needed):
                    yield DefinitionProblem(f"$.steps[{place}].dependsOn[{number}]", *found)
        for cycle in self._cycles():
            yield DefinitionProblem(
                f"$.steps[{cycle[0]}].dependsOn",
                "dependencies_acyclic",
                f"these steps wait for each other: {_chain([self.steps[place].id for place in cycle])}",
            )

    def _problem(self, place: int, number: int, needed: str) -> tuple[str, str] | None:
        step = self.steps[place]
        other = self.positions.get(needed)
        if other is None:
            return "dependency_exists", f"there is no step {needed!r}; there are {join_names(self.positions)}"
        if other == place:
            return "dependency_not_itself", f"step {step.id!r} cannot depend on itself"
        if needed in step.depends_on[:number]:
            return "dependency_once", f"step {needed!r} is named twice"
        if other > place:
            return (
                "dependency_backwards",
                f"step {needed!r} stands after {step.id!r}, and only earlier ones can be named",
            )
        if self._groups[other] == self._groups[place]:
            return (
                "parallel_independent",
                f"{step.id!r} and {needed!r} are parallel to each other, so neither can depend on the other",
            )
        return None

    def _ancestors(self) -> list[int]:
        """For each step the set of those above it as the bits of a number, which keeps 10,000 in a chain small.

        A dependency that points forwards is a problem of its own; here it counts, so that it is not told twice.
        """
        above: list[int] = []
        for step in self.steps:
            bits = 0
            for needed in step.depends_on:
                if (other := self.positions.get(needed)) is not None:
                    bits |= 1 << other | (above[other] if other < len(above) else 0)
            above.append(bits)
        return above

    def _cycles(self) -> Iterator[list[int]]:
        """One cycle for each dependency that closes one, as places, the first one again at the end."""
        done: set[int] = set()
        for start in range(len(self.steps)):
            if start in done:
                continue
            trail: dict[int, Iterator[int]] = {start: self._needed(start)}
            while trail:
                place = next(reversed(trail))
                following = next((other for other in trail[place] if other not in done), None)
                if following is None:
                    del trail[place]
                    done.add(place)
                elif following in trail:
                    walked = list(trail)
                    yield [*walked[walked.index(following) :], following]
                else:
                    trail[following] = self._needed(following)

    def _needed(self, place: int) -> Iterator[int]:
        """What the step depends on; on itself is told apart, and only from the first step of its id."""
        others = dict.fromkeys(self.positions.get(needed, place) for needed in self.steps[place].depends_on)
        return (other for other in others if other != place)


def _groups(steps: Sequence[ProcessStep]) -> list[int]:
    """The number of each step's group: neighbours that are parallel share one."""
    groups = [0] * bool(steps)
    for before, step in pairwise(steps):
        together = before.execution.mode == step.execution.mode == "parallel"
        groups.append(groups[-1] + (not together))
    return groups


def _chain(names: Sequence[str]) -> str:
    """Names with arrows between them, a long row shortened in its middle."""
    shown = names if len(names) <= 12 else [*names[:6], "...", *names[-5:]]  # noqa: PLR2004  # fits a message
    return " -> ".join(shown)
