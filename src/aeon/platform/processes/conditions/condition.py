"""Conditions of steps in CEL: compiled over exactly what they read, true or false and nothing else (platform 6)."""

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from aeon.base.binding import STEP
from aeon.base.json import Json
from aeon.platform.processes.conditions.paths import Path, Scan, scan
from aeon.platform.processes.conditions.programs import ConditionError, Programs
from aeon.platform.processes.conditions.values import Fitting, pruned, text_fault
from aeon.platform.processes.conditions.words import evaluation_error_in_words

if TYPE_CHECKING:
    from cel_expr_python import cel

__all__ = ["Condition", "ConditionError", "compiled", "compiled_together", "evaluate", "holds"]

_MOST_ITERATIONS = 10_000
"""Elements that one evaluation may look at, as the library has it."""

_MOST_JOINED = 100_000_000
"""Characters and elements that an evaluation may copy by `+`. The library counts iterations and no memory."""

_MOST_COMPARED = 40_000_000_000
"""Characters that `contains` may compare: 1 s. The library tries every place, each for the whole text looked for."""

_programs = Programs()


class Condition(NamedTuple):
    """A compiled condition. `paths` are what it reads: `("lang",)`, `("step", "search", "count")`."""

    source: str
    paths: frozenset[Path]
    scan: Scan
    program: "cel.Expression"

    @property
    def variables(self) -> frozenset[str]:
        """The steps' variables that it mentions."""
        return frozenset(path[1] for path in self.paths if path[0] == STEP)


def compiled(source: str, names: Container[str]) -> Condition:
    """Compile a condition over `names`: inputs as `name`, steps' variables as `step.variable` (platform 6).

    Raises ConditionError in words with every place where something is wrong.
    """
    read = _read(source, names)
    return _compiled(read, read.roots)


def compiled_together(sources: Iterable[str], names: Container[str]) -> dict[str, Condition | ConditionError]:
    """The same for many conditions: what they read is declared once for all, which is most of the work."""
    found: dict[str, Condition | ConditionError] = {}
    reads: list[_Read] = []
    for source in sources:
        try:
            reads.append(_read(source, names))
        except ConditionError as error:
            found[source] = error
    together = frozenset[str]().union(*(read.roots for read in reads))
    for read in reads:
        try:
            found[read.source] = _compiled(read, together)
        except ConditionError:
            found[read.source] = _alone(read)
    return found


def evaluate(condition: Condition, values: Mapping[str, Json]) -> bool:
    """Whether the condition is true of `values`: inputs by name, and under `step` the steps' variables.

    Only what the condition reads is looked at. Raises ConditionError for anything but true and false.
    """
    fitting = Fitting()
    bound = {root: fitting.fitted(value, root) for root, value in pruned(condition.paths, values)}
    _refuse_long_joins(condition, fitting.longest)
    _refuse_long_searches(condition, fitting)
    try:
        result = condition.program.eval(data=bound)
    except (RuntimeError, MemoryError) as error:
        raise _failed(condition, values, str(error)) from None
    kind = result.type().name()
    if kind == "ERROR":
        raise _failed(condition, values, str(result.value()))
    if kind != "BOOL":
        raise ConditionError(f"The condition `{_short(condition.source)}` gives a {kind}, not true or false.")
    return result.value() is True


def holds(source: str, values: Mapping[str, Json]) -> bool:
    """Whether the condition of that text is true of `values`. Raises ConditionError."""
    return evaluate(compiled(source, _Given(values)), values)


class _Given:
    """The names of what there are values for."""

    def __init__(self, values: Mapping[str, Json]) -> None:
        self._values = values

    def __contains__(self, name: object) -> bool:
        first, _, variable = str(name).partition(".")
        return variable in self._values.get(STEP, {}) if variable else first in self._values


class _Read(NamedTuple):
    """A condition that was looked through: all that there is in it, and the paths that begin with known names."""

    source: str
    scan: Scan
    paths: frozenset[Path]

    @property
    def roots(self) -> frozenset[str]:
        """The names under which CEL sees the values that the paths begin at."""
        return frozenset(".".join(path[:2]) if path[0] == STEP else path[0] for path in self.paths)


def _read(source: str, names: Container[str]) -> _Read:
    if fault := text_fault(source):
        raise ConditionError(f"The condition holds {fault}.")
    found = scan(source)
    if "map" in found.loops:
        # Each `map` can double what the one before it made, which no budget of the library stops.
        raise ConditionError("A condition makes no new lists: use all, exists, exists_one or filter instead of map.")
    return _Read(source, found, frozenset(path for path in found.paths if _is_known(path, names)))


def _is_known(path: Path, names: Container[str]) -> bool:
    """What does not begin with a known name is left undeclared, and so does not compile."""
    if path[0] != STEP:
        return path[0] in names
    return len(path) > 1 and f"{STEP}.{path[1]}" in names


def _compiled(read: _Read, declared: frozenset[str]) -> Condition:
    program = _programs.program(read.source, read.roots, declared)
    return Condition(read.source, read.paths, read.scan, program)


def _alone(read: _Read) -> Condition | ConditionError:
    """Compiled with nothing declared but its own, so that no other condition's names can spoil it."""
    try:
        return _compiled(read, read.roots)
    except ConditionError as error:
        return error


def _refuse_long_joins(condition: Condition, longest: int) -> None:
    rounds = _MOST_ITERATIONS if condition.scan.loops else 1
    if condition.scan.joins * longest * rounds > _MOST_JOINED:
        raise ConditionError(
            f"The condition `{_short(condition.source)}` joins texts or lists by + that are too long for it.",
            next_step="Compare the parts one by one, or let a step before it make what it needs.",
        )


def _refuse_long_searches(condition: Condition, fitting: Fitting) -> None:
    """What is looked for is another text or, where texts are joined, may be the longest itself."""
    scan, (longest, second) = condition.scan, fitting.texts
    needle = longest if scan.joins else max(second, len(condition.source))
    rounds = min(_MOST_ITERATIONS, (fitting.elements + len(condition.source)) ** len(scan.loops))
    if scan.searches * rounds * longest * needle * (scan.joins + 1) ** 2 > _MOST_COMPARED:
        raise ConditionError(
            f"The condition `{_short(condition.source)}` looks for a text in a text, both too long for contains.",
            next_step="Look for a text that the condition spells out, or let a step before it find out.",
        )


def _failed(condition: Condition, values: Mapping[str, Json], said: str) -> ConditionError:
    words = evaluation_error_in_words(said, sorted(condition.paths), values)
    return ConditionError(
        f"The condition `{_short(condition.source)}` cannot be evaluated: {words}.",
        next_step="Correct it, or ask first whether the value is there: `step.x != null && has(step.x.y) && ...`.",
    )


def _short(source: str) -> str:
    return source if len(source) <= 200 else f"{source[:197]}..."  # noqa: PLR2004  # fits a message
