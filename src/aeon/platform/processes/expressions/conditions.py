"""Compiles and evaluates CEL: conditions, which return a boolean, and expressions (platform 6, 41)."""

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
    "compile_expression",
    "evaluate",
    "evaluate_cel",
    "evaluate_text",
]

_MAX_ITERATIONS = 10_000
"""Elements that one evaluation may visit; the library's limit."""

_MAX_JOINED = 100_000_000
"""Characters and elements that an evaluation may copy by `+`.

The library limits iterations, not memory.
"""

_MAX_COMPARED = 40_000_000_000
"""Characters that `contains` may compare: 1 s.

The library compares the whole needle at every position.
"""

_programs = CelProgramCache()


class CompiledCondition(NamedTuple):
    """A compiled condition or expression. `paths` are what it reads: `("lang",)`, `("step", "search", "count")`."""

    source: str
    paths: frozenset[CelPath]
    scan: ConditionScan
    program: "cel.Expression"
    noun: str = "condition"

    @property
    def variables(self) -> frozenset[str]:
        """The steps' variables that it reads."""
        return frozenset(path[1] for path in self.paths if path[0] == STEP_PREFIX)


def compile_condition(source: str, names: Container[str]) -> CompiledCondition:
    """Compile a condition over `names`, such as `lang` and `step.search` (platform 6).

    Raises ConditionError that describes every error with its position.
    """
    read = _scan(source, names)
    return _compile_scanned(read, read.roots)


def compile_expression(source: str, names: Container[str]) -> CompiledCondition:
    """Compile an expression of any type over `names`. Raises ConditionError as `compile_condition` does."""
    read = _scan(source, names, noun="expression")
    return _compile_scanned(read, read.roots)


def compile_conditions(sources: Iterable[str], names: Container[str]) -> dict[str, CompiledCondition | ConditionError]:
    """Compile many conditions; their names are declared once for all, which is most of the work."""
    results: dict[str, CompiledCondition | ConditionError] = {}
    reads: list[_ScannedCondition] = []
    for source in sources:
        try:
            reads.append(_scan(source, names))
        except ConditionError as error:
            results[source] = error
    declared = frozenset[str]().union(*(read.roots for read in reads))
    for read in reads:
        try:
            results[read.source] = _compile_scanned(read, declared)
        except ConditionError:
            results[read.source] = _compile_alone(read)
    return results


def evaluate(condition: CompiledCondition, values: Mapping[str, Json]) -> bool:
    """Return whether the condition is true for these values.

    `values` holds inputs by name, and under `step` the steps' variables. Only the values that the condition reads are
    visited. Raises ConditionError if the result is not a boolean.
    """
    result = evaluate_cel(condition, values)
    kind = result.type().name()
    if kind != "BOOL":
        raise ConditionError(f"The condition `{_short(condition.source)}` gives a {kind}, not true or false.")
    return result.value() is True


def evaluate_cel(condition: CompiledCondition, values: Mapping[str, Json], *, is_exact: bool = False) -> "cel.Value":
    """Return the value of a condition or an expression. Raises ConditionError.

    `is_exact`: an integer that would lose a digit is an error, also where it is compared with no other one.
    """
    converter = CelConverter(is_exact=is_exact)
    bound = {root: converter.convert(value, root) for root, value in select_values(condition.paths, values)}
    _refuse_long_joins(condition, converter.longest)
    _refuse_long_searches(condition, converter)
    try:
        result = condition.program.eval(data=bound)
    except (RuntimeError, MemoryError) as error:
        raise _evaluation_error(condition, values, str(error)) from None
    if result.type().name() == "ERROR":
        raise _evaluation_error(condition, values, str(result.value()))
    return result


def evaluate_text(source: str, values: Mapping[str, Json]) -> bool:
    """Return whether the condition with that text is true for `values`. Raises ConditionError."""
    return evaluate(compile_condition(source, ValueNames(values)), values)


class ValueNames:
    """The names that have values, as a container."""

    def __init__(self, values: Mapping[str, Json]) -> None:
        self._values = values

    def __contains__(self, name: object) -> bool:
        first, _, variable = str(name).partition(".")
        return variable in self._values.get(STEP_PREFIX, {}) if variable else first in self._values


class _ScannedCondition(NamedTuple):
    """A scanned condition: its scan, and its paths that start with a known name."""

    source: str
    scan: ConditionScan
    paths: frozenset[CelPath]
    noun: str

    @property
    def roots(self) -> frozenset[str]:
        """The names under which CEL sees the values that the paths start at."""
        return frozenset(".".join(path[:2]) if path[0] == STEP_PREFIX else path[0] for path in self.paths)


def _scan(source: str, names: Container[str], *, noun: str = "condition") -> _ScannedCondition:
    if fault := find_text_fault(source):
        raise ConditionError(f"The {noun} contains {fault}.")
    scan = scan_condition(source)
    # Each `map` can double the result of the one before it, and no limit of the library stops that.
    if "map" in scan.loops and noun == "condition":
        raise ConditionError("A condition cannot make new lists: use all, exists, exists_one or filter instead of map.")
    if scan.loops.count("map") > 1:
        raise ConditionError("An expression can use map only once: make the inner list in an earlier step.")
    return _ScannedCondition(source, scan, frozenset(path for path in scan.paths if _is_known(path, names)), noun)


def _is_known(path: CelPath, names: Container[str]) -> bool:
    """Return whether the path starts with a known name; unknown names do not compile."""
    if path[0] != STEP_PREFIX:
        return path[0] in names
    return len(path) > 1 and f"{STEP_PREFIX}.{path[1]}" in names


def _compile_scanned(read: _ScannedCondition, declared: frozenset[str]) -> CompiledCondition:
    try:
        program = _programs.get_or_compile(read.source, read.roots, declared)
    except ConditionError as error:
        raise ConditionError(f"The {read.noun} is not valid: {error.message}.") from None
    if read.noun == "condition" and (kind := program.return_type().name()) not in {"BOOL", "DYN"}:
        raise ConditionError(f"The condition gives a {kind}, not true or false.")
    return CompiledCondition(read.source, read.paths, read.scan, program, read.noun)


def _compile_alone(read: _ScannedCondition) -> CompiledCondition | ConditionError:
    """Compile with only the condition's own names, so that no other condition breaks it."""
    try:
        return _compile_scanned(read, read.roots)
    except ConditionError as error:
        return error


def _refuse_long_joins(condition: CompiledCondition, longest: int) -> None:
    rounds = _MAX_ITERATIONS if condition.scan.loops else 1
    if condition.scan.joins * longest * rounds > _MAX_JOINED:
        raise ConditionError(
            f"The {condition.noun} `{_short(condition.source)}` joins texts or lists by + that are too long for it.",
            next_step="Compare the parts one by one, or compute the joined value in an earlier step.",
        )


def _refuse_long_searches(condition: CompiledCondition, converter: CelConverter) -> None:
    """Refuse searches that are too expensive.

    The needle is another text, or the longest one if texts are joined.
    """
    scan, (longest, second) = condition.scan, converter.texts
    needle = longest if scan.joins else max(second, len(condition.source))
    rounds = min(_MAX_ITERATIONS, (converter.elements + len(condition.source)) ** len(scan.loops))
    if scan.searches * rounds * longest * needle * (scan.joins + 1) ** 2 > _MAX_COMPARED:
        raise ConditionError(
            f"The {condition.noun} `{_short(condition.source)}` looks for a text in a text, "
            "both too long for contains.",
            next_step="Look for a text that is spelled out there, or compute the answer in an earlier step.",
        )


def _evaluation_error(condition: CompiledCondition, values: Mapping[str, Json], text: str) -> ConditionError:
    words = describe_evaluation_error(text, sorted(condition.paths), values)
    return ConditionError(
        f"The {condition.noun} `{_short(condition.source)}` cannot be evaluated: {words}.",
        next_step="Correct it, or test first that the value exists: `step.x != null && has(step.x.y) && ...`.",
    )


def _short(source: str) -> str:
    return source if len(source) <= 200 else f"{source[:197]}..."  # noqa: PLR2004  # fits a message
