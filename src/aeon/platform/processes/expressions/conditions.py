"""Conditions of steps in CEL: compiled over exactly what they read, true or false and nothing else (platform 6)."""

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json
from aeon.platform.processes.expressions.cel_paths import CelPath, ConditionScan, scan_condition
from aeon.platform.processes.expressions.cel_programs import CelProgramCache, ConditionError, describe_evaluation_error
from aeon.platform.processes.expressions.cel_values import CelConverter, find_text_fault, select_values

if TYPE_CHECKING:
    from cel_expr_python import cel

__all__ = [
    "CompiledCondition",
    "ConditionError",
    "compile_condition",
    "compile_conditions",
    "evaluate",
    "evaluate_text",
]

_MOST_ITERATIONS = 10_000
"""Elements that one evaluation may look at, as the library has it."""

_MOST_JOINED = 100_000_000
"""Characters and elements that an evaluation may copy by `+`. The library counts iterations and no memory."""

_MOST_COMPARED = 40_000_000_000
"""Characters that `contains` may compare: 1 s. The library tries every place, each for the whole text looked for."""

_programs = CelProgramCache()


class CompiledCondition(NamedTuple):
    """A compiled condition. `paths` are what it reads: `("lang",)`, `("step", "search", "count")`."""

    source: str
    paths: frozenset[CelPath]
    scan: ConditionScan
    program: "cel.Expression"

    @property
    def variables(self) -> frozenset[str]:
        """The steps' variables that it mentions."""
        return frozenset(path[1] for path in self.paths if path[0] == STEP_PREFIX)


def compile_condition(source: str, names: Container[str]) -> CompiledCondition:
    """Compile a condition over `names`: inputs as `name`, steps' variables as `step.variable` (platform 6).

    Raises ConditionError in words with every place where something is wrong.
    """
    read = _read(source, names)
    return _compiled(read, read.roots)


def compile_conditions(sources: Iterable[str], names: Container[str]) -> dict[str, CompiledCondition | ConditionError]:
    """The same for many conditions: what they read is declared once for all, which is most of the work."""
    found: dict[str, CompiledCondition | ConditionError] = {}
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


def evaluate(condition: CompiledCondition, values: Mapping[str, Json]) -> bool:
    """Whether the condition is true of `values`: inputs by name, and under `step` the steps' variables.

    Only what the condition reads is looked at. Raises ConditionError for anything but true and false.
    """
    fitting = CelConverter()
    bound = {root: fitting.convert(value, root) for root, value in select_values(condition.paths, values)}
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


def evaluate_text(source: str, values: Mapping[str, Json]) -> bool:
    """Whether the condition of that text is true of `values`. Raises ConditionError."""
    return evaluate(compile_condition(source, _Given(values)), values)


class _Given:
    """The names of what there are values for."""

    def __init__(self, values: Mapping[str, Json]) -> None:
        self._values = values

    def __contains__(self, name: object) -> bool:
        first, _, variable = str(name).partition(".")
        return variable in self._values.get(STEP_PREFIX, {}) if variable else first in self._values


class _Read(NamedTuple):
    """A condition that was looked through: all that there is in it, and the paths that begin with known names."""

    source: str
    scan: ConditionScan
    paths: frozenset[CelPath]

    @property
    def roots(self) -> frozenset[str]:
        """The names under which CEL sees the values that the paths begin at."""
        return frozenset(".".join(path[:2]) if path[0] == STEP_PREFIX else path[0] for path in self.paths)


def _read(source: str, names: Container[str]) -> _Read:
    if fault := find_text_fault(source):
        raise ConditionError(f"The condition holds {fault}.")
    found = scan_condition(source)
    if "map" in found.loops:
        # Each `map` can double what the one before it made, which no budget of the library stops.
        raise ConditionError("A condition makes no new lists: use all, exists, exists_one or filter instead of map.")
    return _Read(source, found, frozenset(path for path in found.paths if _is_known(path, names)))


def _is_known(path: CelPath, names: Container[str]) -> bool:
    """What does not begin with a known name is left undeclared, and so does not compile."""
    if path[0] != STEP_PREFIX:
        return path[0] in names
    return len(path) > 1 and f"{STEP_PREFIX}.{path[1]}" in names


def _compiled(read: _Read, declared: frozenset[str]) -> CompiledCondition:
    program = _programs.get_or_compile(read.source, read.roots, declared)
    return CompiledCondition(read.source, read.paths, read.scan, program)


def _alone(read: _Read) -> CompiledCondition | ConditionError:
    """Compiled with nothing declared but its own, so that no other condition's names can spoil it."""
    try:
        return _compiled(read, read.roots)
    except ConditionError as error:
        return error


def _refuse_long_joins(condition: CompiledCondition, longest: int) -> None:
    rounds = _MOST_ITERATIONS if condition.scan.loops else 1
    if condition.scan.joins * longest * rounds > _MOST_JOINED:
        raise ConditionError(
            f"The condition `{_short(condition.source)}` joins texts or lists by + that are too long for it.",
            next_step="Compare the parts one by one, or let a step before it make what it needs.",
        )


def _refuse_long_searches(condition: CompiledCondition, fitting: CelConverter) -> None:
    """What is looked for is another text or, where texts are joined, may be the longest itself."""
    scan, (longest, second) = condition.scan, fitting.texts
    needle = longest if scan.joins else max(second, len(condition.source))
    rounds = min(_MOST_ITERATIONS, (fitting.elements + len(condition.source)) ** len(scan.loops))
    if scan.searches * rounds * longest * needle * (scan.joins + 1) ** 2 > _MOST_COMPARED:
        raise ConditionError(
            f"The condition `{_short(condition.source)}` looks for a text in a text, both too long for contains.",
            next_step="Look for a text that the condition spells out, or let a step before it find out.",
        )


def _failed(condition: CompiledCondition, values: Mapping[str, Json], said: str) -> ConditionError:
    words = describe_evaluation_error(said, sorted(condition.paths), values)
    return ConditionError(
        f"The condition `{_short(condition.source)}` cannot be evaluated: {words}.",
        next_step="Correct it, or ask first whether the value is there: `step.x != null && has(step.x.y) && ...`.",
    )


def _short(source: str) -> str:
    return source if len(source) <= 200 else f"{source[:197]}..."  # noqa: PLR2004  # fits a message
