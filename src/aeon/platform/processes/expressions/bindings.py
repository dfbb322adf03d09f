"""References in the inputs of a step: `{name}` to an input, `{step.variable.path}` to a result (platform 6)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from aeon.base.binding import STEP_PREFIX, as_text
from aeon.base.errors import BindingError
from aeon.base.json import Json, JsonObject
from aeon.platform.processes.text import join_names

InputPath: TypeAlias = tuple[str | int, ...]
"""Where something stands in a step's inputs: `("filters", 0, "name")`."""

_REFERENCE = re.compile(rf"\{{({STEP_PREFIX}\.[^{{}}]+|[A-Za-z_][A-Za-z0-9_]*)\}}")
"""What looks like a reference is one, so that a misspelled one is found; other braces are text."""

_INDEX = re.compile(r"-?[0-9]{1,9}")


class InputReference(NamedTuple):
    """One reference: where it stands, what it names (`("lang",)`, `("step", "search", "rows", "0")`), and whether the
    text that it stands in is nothing else, so that the value keeps its type.
    """

    location: InputPath
    path: tuple[str, ...]
    is_whole: bool

    @property
    def text(self) -> str:
        """As it was written."""
        return f"{{{'.'.join(self.path)}}}"


def find_references(inputs: JsonObject) -> Iterator[InputReference]:
    """Every reference in a step's inputs, in order. Keys hold none (platform 6)."""
    return _references(inputs, ())


def bind(inputs: JsonObject, values: Mapping[str, Json], *, step: str = "") -> JsonObject:
    """A copy of `inputs` with every reference replaced (platform 6, core 3).

    `values` holds the Process's inputs by name, and under `step` the steps' variables. A text that is one reference
    becomes the very value, not a copy; inside a longer text it is rendered as text. What was put in is never looked
    through for references again. Raises BindingError that lists everything which cannot be resolved, and names `step`.
    """
    problems: list[str] = []
    bound = {name: _bound(value, values, problems) for name, value in inputs.items()}
    if problems:
        raise BindingError(
            f"The inputs of {f'step {step!r}' if step else 'the step'} cannot be bound: {'; '.join(problems)}.",
            next_step="Correct the reference, or give the step a condition that asks for the value first.",
            problems=list[Json](problems),
        )
    return bound


def format_input_path(place: InputPath) -> str:
    """`.filters[0].name`, to stand behind what it is a place in."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)


def _references(value: Json, place: InputPath) -> Iterator[InputReference]:
    if isinstance(value, str):
        for found in _REFERENCE.finditer(value):
            yield InputReference(place, tuple(found[1].split(".")), found[0] == value)
    elif isinstance(value, dict):
        for key, item in cast(JsonObject, value).items():
            yield from _references(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Json], value)):
            yield from _references(item, (*place, index))


def _bound(value: Json, values: Mapping[str, Json], problems: list[str]) -> Json:
    if isinstance(value, str):
        return _bound_text(value, values, problems)
    if isinstance(value, dict):
        return {key: _bound(item, values, problems) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_bound(item, values, problems) for item in cast(list[Json], value)]
    return value


def _bound_text(text: str, values: Mapping[str, Json], problems: list[str]) -> Json:
    if whole := _REFERENCE.fullmatch(text):
        return _looked_up(whole[1], values, problems)
    return _REFERENCE.sub(lambda found: as_text(_looked_up(found[1], values, problems)), text)


def _looked_up(expression: str, values: Mapping[str, Json], problems: list[str]) -> Json:
    parts = expression.split(".")
    value: Json = values
    if parts == [STEP_PREFIX]:
        problems.append(f"{{{STEP_PREFIX}}} names no variable; there are {join_names(values.get(STEP_PREFIX, {}))}")
        return None
    for depth, part in enumerate(parts):
        try:
            value = _part(value, part)
        except LookupError:
            problems.append(f"{{{expression}}}: {_lack(parts[:depth], value, part)}")
            return None
    return value


def _part(value: Json, part: str) -> Json:
    if isinstance(value, Mapping):
        return cast(Mapping[str, Json], value)[part]
    if isinstance(value, list) and _INDEX.fullmatch(part):
        return cast(list[Json], value)[int(part)]
    raise LookupError(part)


def _lack(above: Sequence[str], value: Json, part: str) -> str:
    """What there is where a part was looked for in vain."""
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
