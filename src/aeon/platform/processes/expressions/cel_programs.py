"""Compiles and caches CEL; environments declare only the variables they read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, cast

from aeon.base.errors import InputError
from aeon.base.extras import extra_error
from aeon.base.json import Json
from aeon.platform.processes.expressions.cel_paths import CelPath

_FAULT = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): ([^\n]+)")
_CODE = re.compile(r"^(?:[A-Z_]{4,}: )+|\s*\[[A-Z_]+\]$")
_OPERATOR = re.compile(r"(?<!\w)_?([-+*/%<>=!&|?:\[\]]+)_(?!\w)|@(in)\b")
"""An operator as the library spells it: `_+_`, `-_`, `@in`."""

_MAX_FAULTS = 5

_MESSAGES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in [
        (r"^undeclared reference to '([^']*)'.*$", r"there is no \1 here"),
        (r"^found no matching overload for '([^']*)' applied to '(\([^']*\))'.*$", r"\1 does not take \2"),
        (
            r"^No matching overloads found : (\S+)\((double, int64|int64, double)\)$",
            r"\1 takes no mixed numbers; use double(...)",
        ),
        (r"^No matching overloads found : <jump_condition>$", "the operand before ? must be true or false"),
        (r"^No matching overloads found : (\S+?)(\(.*\))$", r"\1 does not take \2"),
        (r"^No matching overloads found : (\S+)$", r"\1 does not take what it was given"),
        (r"^Syntax error: token recognition error at: '=.*$", "a single = compares nothing; use == to compare"),
        (r"^Syntax error: token recognition error at: '&.*$", "a single & joins nothing; use && for and"),
        (r"^Syntax error: mismatched input 'and' .*$", "use && for and"),
        (r"^Syntax error: mismatched input 'or' .*$", "use || for or"),
        (r"^Syntax error: (.*?) expecting .*$", r"\1"),
        (r"^Syntax error: (.*)$", r"\1"),
        (r"^reserved identifier: (.*)$", r"\1 is a reserved word of CEL and names nothing"),
        (r"^variable '([^']*)' declared multiple times$", r"\1 is a reserved word of CEL; give the input another name"),
        # Values that the library quotes are left out, because messages go to logs.
        (r"^Key not found in map : .*$", "there is no such key"),
        (r"^Index error: index=.*$", "the list has no such item"),
        (r"^invalid regular expression: .*$", "the pattern is not a valid regular expression"),
        (r"^Applying SELECT to non-message type$", "a field was read from a value that has no fields"),
        (r"^Iteration budget exceeded$", "it looks at more than 10,000 elements"),
        (r"^Expression recursion limit exceeded.*$|^Exceeded max recursion depth.*$", "it is nested too deeply"),
    ]
)


def describe_compile_error(text: str) -> str:
    """Describe every error of a condition, each with its position."""
    faults = _FAULT.findall(text)
    if not faults:
        return _describe_fault(text)
    lines = [f"{_place(int(line), int(column))}{_describe_fault(what)}" for line, column, what in faults[:_MAX_FAULTS]]
    if len(faults) > _MAX_FAULTS:
        lines.append(f"and {len(faults) - _MAX_FAULTS} more")
    return "; ".join(lines)


def describe_evaluation_error(text: str, paths: Sequence[CelPath], values: Mapping[str, Json]) -> str:
    """Describe an error, and which of the condition's paths do not exist in the values."""
    return "; ".join([_describe_fault(text), *_dead_ends(paths, values)])


def _place(line: int, column: int) -> str:
    return f"line {line}, column {column}: " if line > 0 else ""


def _describe_fault(text: str) -> str:
    plain = _CODE.sub("", text.strip()).strip()
    for pattern, words in _MESSAGES:
        if match := pattern.match(plain):
            return _OPERATOR.sub(lambda operator: operator[1] or operator[2], match.expand(words))
    return plain[:300]


def _dead_ends(paths: Sequence[CelPath], values: Mapping[str, Json]) -> Iterator[str]:
    for path in paths:
        value: Json = values
        for depth, part in enumerate(path):
            if not isinstance(value, Mapping):
                yield f"{'.'.join(path[:depth])} is {_kind(value)}"
                break
            fields = cast(Mapping[str, Json], value)
            if part not in fields:
                yield f"{'.'.join(path[:depth]) or 'the run'} has no {part!r}"
                break
            value = fields[part]


def _kind(value: Json) -> str:
    """Name the type of a value, never the value itself."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true or false"
    return "a list" if isinstance(value, list) else "a text" if isinstance(value, str) else "a number"


if TYPE_CHECKING:
    from cel_expr_python import cel


class ConditionError(InputError):
    """The condition or the expression cannot be used."""

    next_step = "Correct the condition of the step."


class CelProgramCache:
    """Caches compiled conditions by text and names read. Compilation memory is never freed."""

    MAX_PROGRAMS = 1024

    def __init__(self) -> None:
        self._programs: dict[tuple[str, frozenset[str]], cel.Expression] = {}
        self._lock = Lock()

    def get_or_compile(self, source: str, read: frozenset[str], declared: frozenset[str]) -> "cel.Expression":
        """Return the cached program, or compile it with `declared`, a superset of what it reads."""
        with self._lock:
            if (cached := self._programs.get((source, read))) is not None:
                return cached
        program = _compile(source, declared)
        with self._lock:
            if len(self._programs) >= self.MAX_PROGRAMS:
                del self._programs[next(iter(self._programs))]
            self._programs[source, read] = program
        return program


def _compile(source: str, declared: frozenset[str]) -> "cel.Expression":
    try:
        return _environment(declared).compile(source)
    except RuntimeError as error:
        raise ConditionError(describe_compile_error(str(error))) from None


@lru_cache(maxsize=64)
def _environment(declared: frozenset[str]) -> "cel.Env":
    try:
        from cel_expr_python import cel
    except ImportError as missing:
        raise extra_error("Conditions of steps need", "cel-expr-python", "platform", missing) from missing
    return cel.NewEnv(variables=dict.fromkeys(sorted(declared), cel.Type.DYN))
