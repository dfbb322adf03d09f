"""Binds references, `{name}` and `{step.variable.path}`, and expressions, `{= n - 1}` (platform 6, 41)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from aeon.base.binding import STEP_PREFIX, as_text
from aeon.base.errors import BindingError, InputError
from aeon.base.json import Json, JsonObject, text_of
from aeon.platform.processes.expressions.cel_paths import scan_condition
from aeon.platform.processes.expressions.computed import OPENING, compute, split_expressions
from aeon.platform.processes.text import join_names

InputPath: TypeAlias = tuple[str | int, ...]
"""A location in a step's inputs: `("filters", 0, "name")`."""

_REFERENCE = re.compile(rf"\{{({STEP_PREFIX}\.[^{{}}]+|[A-Za-z_][A-Za-z0-9_]*(?:\.[^{{}}.]+)*)\}}")
"""Any text that looks like a reference is one, so that misspelled ones are reported.

When a run binds it, `{name.part}` is one only if there is such a name: texts contain such words.
"""

_PLAIN_PART = re.compile(r"[\w-]+")
"""A part of a path that is a name or an index: no blanks, calls or quotes, as code in braces has."""

_INDEX = re.compile(r"-?[0-9]{1,9}")


class InputReference(NamedTuple):
    """One reference: its location, the path it names, and whether it is the whole text.

    Paths are `("lang",)` or `("step", "search", "rows", "0")`. If `is_whole`, the value keeps its type.
    """

    location: InputPath
    path: tuple[str, ...]
    is_whole: bool

    @property
    def needs_name(self) -> bool:
        """Whether it is a reference only if its first part names an input: `{console.log("x")}` may be code."""
        return self.path[0] != STEP_PREFIX and not all(_PLAIN_PART.fullmatch(part) for part in self.path)

    @property
    def as_literal(self) -> str:
        """What an author writes so that the same characters are text."""
        return f"{OPENING} '{self.text}'}}"

    @property
    def text(self) -> str:
        """The reference as it was written."""
        return f"{{{'.'.join(self.path)}}}"


class InputExpression(NamedTuple):
    """One expression: its location, its source, and whether it is the whole text, so that its value keeps its type."""

    location: InputPath
    source: str
    is_whole: bool


def find_expressions(inputs: Json) -> Iterator[InputExpression]:
    """Yield every expression in a step's inputs, in order."""
    for place, text in iterate_texts(inputs):
        if OPENING in text:
            parts = split_expressions(text)
            for source in parts[1::2]:
                yield InputExpression(place, source, len(parts) == len(_WHOLE) and not parts[0] and not parts[-1])


_WHOLE = ("", "source", "")
"""The parts of a text that is one expression."""


def roots_of(inputs: Json) -> set[tuple[str, ...]]:
    """Return the names that inputs read: `("lang",)`, `("step", "search")`. It may name what is not a value."""
    paths = {reference.path for reference in find_references(inputs)}
    for expression in find_expressions(inputs):
        paths |= scan_condition(expression.source).paths
    return {path[: 2 if path[0] == STEP_PREFIX else 1] for path in paths}


def find_references(inputs: Json) -> Iterator[InputReference]:
    """Yield every reference in a step's inputs, in order. Keys contain none (platform 6)."""
    for place, text in iterate_texts(inputs):
        parts = split_expressions(text) if OPENING in text else (text,)
        for part in parts[::2]:
            for match in _REFERENCE.finditer(part):
                yield InputReference(place, tuple(match[1].split(".")), match[0] == text)


def bind(inputs: JsonObject, values: Mapping[str, Json], *, step: str = "") -> JsonObject:
    """Return a copy of `inputs` with every reference and expression replaced (platform 6, 41, core 3).

    `values` holds the Process's inputs by name, and under `step` the steps' variables. A text that is one reference
    becomes the value itself, not a copy; inside a longer text, a value that is no text is JSON, and the whole result
    of a step is what `as_text` makes of it. Inserted values are never searched for references. Raises BindingError
    that lists every reference that cannot be resolved and every expression that cannot be computed, and names `step`.
    """
    problems: list[str] = []
    bound = {name: _bind_value(value, values, problems) for name, value in inputs.items()}
    if problems:
        raise BindingError(
            f"The inputs of {f'step {step!r}' if step else 'the step'} cannot be bound: {'; '.join(problems)}.",
            next_step="Correct the reference, or give the step a condition that tests for the value first.",
            problems=list[Json](problems),
        )
    return bound


def is_reference(text: str) -> bool:
    """Return whether a whole text is one reference."""
    return _REFERENCE.fullmatch(text) is not None


def format_input_path(place: InputPath) -> str:
    """Format a location as a suffix: `.filters[0].name`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)


def iterate_texts(value: Json, place: InputPath = ()) -> Iterator[tuple[InputPath, str]]:
    """Yield every text that may contain a reference or an expression, with its location."""
    if isinstance(value, str):
        if "{" in value:
            yield place, value
    elif isinstance(value, dict):
        for key, item in cast(JsonObject, value).items():
            yield from iterate_texts(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Json], value)):
            yield from iterate_texts(item, (*place, index))


def _bind_value(value: Json, values: Mapping[str, Json], problems: list[str]) -> Json:
    if isinstance(value, str):
        return _bind_text(value, values, problems)
    if isinstance(value, dict):
        return {key: _bind_value(item, values, problems) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_bind_value(item, values, problems) for item in cast(list[Json], value)]
    return value


def _bind_text(text: str, values: Mapping[str, Json], problems: list[str]) -> Json:
    whole = _REFERENCE.fullmatch(text)
    if whole and _is_known(whole[1], values):
        return _resolve(whole[1], values, problems)
    if OPENING not in text:
        return _bind_references(text, values, problems)
    between, *rest = split_expressions(text)
    if not between and len(rest) == len(_WHOLE) - 1 and not rest[-1]:
        return _compute(rest[0], values, problems)
    bound = [_bind_references(between, values, problems)]
    for source, text_after in zip(rest[::2], rest[1::2], strict=True):
        bound += [text_of(_compute(source, values, problems)), _bind_references(text_after, values, problems)]
    return "".join(bound)


def _bind_references(text: str, values: Mapping[str, Json], problems: list[str]) -> str:
    def insert(match: re.Match[str]) -> str:
        if not _is_known(match[1], values):
            return match[0]
        value = _resolve(match[1], values, problems)
        return as_text(value) if _is_whole_result(match[1]) else text_of(value)

    return _REFERENCE.sub(insert, text)


def _is_whole_result(expression: str) -> bool:
    prefix, _, variable = expression.partition(".")
    return prefix == STEP_PREFIX and "." not in variable


def _is_known(expression: str, values: Mapping[str, Json]) -> bool:
    """Return whether a text is a reference: one with parts is if its name is there."""
    name, dot, _ = expression.partition(".")
    return not dot or name == STEP_PREFIX or name in values


def _compute(source: str, values: Mapping[str, Json], problems: list[str]) -> Json:
    try:
        return compute(source, values)
    except InputError as error:
        problems.append(error.message.rstrip("."))
        return None


def _resolve(expression: str, values: Mapping[str, Json], problems: list[str]) -> Json:
    parts = expression.split(".")
    value: Json = values
    if parts == [STEP_PREFIX]:
        problems.append(
            f"{{{STEP_PREFIX}}} does not name a variable; there are {join_names(values.get(STEP_PREFIX, {}))}"
        )
        return None
    for depth, part in enumerate(parts):
        try:
            value = _part(value, part)
        except LookupError:
            problems.append(f"{{{expression}}}: {_describe_missing_part(parts[:depth], value, part)}")
            return None
    return value


def _part(value: Json, part: str) -> Json:
    if isinstance(value, Mapping):
        return cast(Mapping[str, Json], value)[part]
    if isinstance(value, list) and _INDEX.fullmatch(part):
        return cast(list[Json], value)[int(part)]
    raise LookupError(part)


def _describe_missing_part(above: Sequence[str], value: Json, part: str) -> str:
    """Return why a part of a path is missing, and which parts exist."""
    if not above:
        return f"the Process has no input {part!r}; it has {join_names(name for name in value if name != STEP_PREFIX)}"
    if above == [STEP_PREFIX]:
        return f"no step gave {part!r}; there are {join_names(value)}"
    name = ".".join(above)
    if isinstance(value, Mapping):
        return f"{name} has no {part!r}; it has {join_names(cast(Mapping[str, Json], value))}"
    if isinstance(value, list):
        return f"{name} is a list of {len(cast(list[Json], value))} items and has no {part!r}"
    return f"{name} is {'null' if value is None else f'a {type(value).__name__}'} and has no {part!r}"
