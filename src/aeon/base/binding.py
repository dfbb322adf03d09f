"""References to earlier results inside arguments: `{step.<step_id>}` and `{step.<step_id>.<path>}` (core 3)."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, cast

from aeon.base.errors import BindingError
from aeon.base.json import Json, JsonObject, canonical

_REFERENCE = re.compile(r"\{step\.([^{}]+)\}")

_MOST_PARTS = 50
"""Parts of a reference that may belong to a step id: what a hostile plan can make us join is bounded."""


class Reference(NamedTuple):
    """One reference: where it stands in the arguments, and what it says between `{step.` and `}`."""

    path: str
    expression: str


def references(value: Json, path: str = "$") -> Iterator[Reference]:
    """Every reference inside `value`, in order."""
    if isinstance(value, str):
        if "{step." in value:
            yield from (Reference(path, found) for found in _REFERENCE.findall(value))
    elif isinstance(value, dict):
        for key, item in cast(JsonObject, value).items():
            yield from references(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Json], value)):
            yield from references(item, f"{path}[{index}]")


def target(expression: str, step_ids: Collection[str]) -> tuple[str, list[str]] | None:
    """Split `s1.rows.0` into the step it names and the path inside its result; the longest known step id wins."""
    parts = expression.split(".")
    for length in range(min(len(parts), _MOST_PARTS), 0, -1):
        step_id = ".".join(parts[:length])
        if step_id in step_ids:
            return step_id, parts[length:]
    return None


def bind(value: Json, results: Mapping[str, Json]) -> Json:
    """A copy of `value` with every reference replaced by the result it names.

    A string that is one reference takes the result with its type; inside a longer string it is rendered as text.
    Raises BindingError that lists every reference which cannot be resolved.
    """
    problems: list[str] = []
    bound = _bind(value, results, problems)
    if problems:
        raise BindingError("; ".join(problems) + ".", problems=problems)
    return bound


def bind_as_text(value: Json, results: Mapping[str, Json]) -> Json:
    """As `bind`, but a string that is one reference is rendered as text too: for tools that take text."""
    if isinstance(value, str):
        return as_text(bind(value, results))
    if isinstance(value, dict):
        return {key: bind_as_text(item, results) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [bind_as_text(item, results) for item in cast(list[Json], value)]
    return value


def as_text(value: Json) -> str:
    """A result as a reader wants it: strings bare, an object of one field as that field, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and len(cast(JsonObject, value)) == 1:
        return as_text(next(iter(cast(JsonObject, value).values())))
    return canonical(value)


def _bind(value: Json, results: Mapping[str, Json], problems: list[str]) -> Json:
    if isinstance(value, str):
        return _bind_text(value, results, problems) if "{step." in value else value
    if isinstance(value, dict):
        return {key: _bind(item, results, problems) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_bind(item, results, problems) for item in cast(list[Json], value)]
    return value


def _bind_text(text: str, results: Mapping[str, Json], problems: list[str]) -> Json:
    whole = _REFERENCE.fullmatch(text)
    if whole:
        return _look_up(whole[1], results, problems)
    return _REFERENCE.sub(lambda found: as_text(_look_up(found[1], results, problems)), text)


def _look_up(expression: str, results: Mapping[str, Json], problems: list[str]) -> Json:
    found = target(expression, results)
    if found is None:
        problems.append(f"{{step.{expression}}} names no step with a result")
        return None
    step_id, path = found
    value = results[step_id]
    for part in path:
        try:
            value = cast(list[Json], value)[int(part)] if isinstance(value, list) else cast(JsonObject, value)[part]
        except (KeyError, IndexError, ValueError, TypeError):
            problems.append(f"{{step.{expression}}}: the result of step {step_id!r} has no {part!r}")
            return None
    return value
