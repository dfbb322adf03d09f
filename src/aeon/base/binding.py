"""References to earlier results inside arguments: `{step.<step_id>}` and `{step.<step_id>.<path>}` (core 3).

Skills refer to `{tool.<toolId>.<path>}` in the same way (skills 5): `prefix` is the word in front.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, cast

from aeon.base.errors import BindingError
from aeon.base.json import Json, JsonObject, text_of

STEP_PREFIX = "step"
"""The word in front of references to a plan's steps."""

_MAX_ID_PARTS = 50
"""Parts of a reference that may belong to a step id: bounds the joining that a hostile plan can cause."""


class ResultReference(NamedTuple):
    """One reference: its path in the arguments, and its text between `{step.` and `}`."""

    path: str
    expression: str


@lru_cache(maxsize=8)
def reference_pattern(prefix: str) -> re.Pattern[str]:
    """The pattern of references with that prefix; group 1 is the text between `{<prefix>.` and `}`."""
    return re.compile(rf"\{{{re.escape(prefix)}\.([^{{}}]+)\}}")


def find_references(value: Json, path: str = "$", *, prefix: str = STEP_PREFIX) -> Iterator[ResultReference]:
    """Every reference inside `value`, in order."""
    if isinstance(value, str):
        if f"{{{prefix}." in value:
            yield from (ResultReference(path, expression) for expression in reference_pattern(prefix).findall(value))
    elif isinstance(value, dict):
        for key, item in cast(JsonObject, value).items():
            yield from find_references(item, f"{path}.{key}", prefix=prefix)
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Json], value)):
            yield from find_references(item, f"{path}[{index}]", prefix=prefix)


def split_reference(expression: str, step_ids: Collection[str]) -> tuple[str, list[str]] | None:
    """Split `s1.rows.0` into the step it names and the path inside its result; the longest known step id wins."""
    parts = expression.split(".")
    for length in range(min(len(parts), _MAX_ID_PARTS), 0, -1):
        step_id = ".".join(parts[:length])
        if step_id in step_ids:
            return step_id, parts[length:]
    return None


def bind(value: Json, results: Mapping[str, Json], *, prefix: str = STEP_PREFIX) -> Json:
    """Returns a copy of `value` with every reference replaced by the result it names.

    A string that is one reference becomes the result with its type; inside a longer string it is rendered as text.
    Raises BindingError, which lists every reference that cannot be resolved.
    """
    problems: list[str] = []
    bound = _Resolver(results, prefix, problems).bind(value)
    if problems:
        raise BindingError("; ".join(problems) + ".", problems=problems)
    return bound


def bind_as_text(value: Json, results: Mapping[str, Json]) -> Json:
    """Like `bind`, but renders a string that is one reference as text too: for tools that take text."""
    if isinstance(value, str):
        return as_text(bind(value, results))
    if isinstance(value, dict):
        return {key: bind_as_text(item, results) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [bind_as_text(item, results) for item in cast(list[Json], value)]
    return value


def as_text(value: Json) -> str:
    """A result as readable text: strings bare, an object of one field as that field, the rest as JSON."""
    if isinstance(value, dict) and len(cast(JsonObject, value)) == 1:
        return as_text(next(iter(cast(JsonObject, value).values())))
    return text_of(value)


def as_lines(value: Json) -> str:
    """A result for people and models to read: the fields of an object as lines, texts with their line breaks.

    An object with a `result` is one line if its fields are single values: "12 days (weeks: 1 week 5 days)", where
    "days" is its `unit`.
    """
    if not isinstance(value, dict) or len(cast(JsonObject, value)) <= 1:
        return as_text(value)
    fields = {key: as_text(item) for key, item in cast(JsonObject, value).items()}
    is_flat = not any(isinstance(item, dict | list) for item in cast(JsonObject, value).values())
    if "result" in fields and is_flat and not any("\n" in text for text in fields.values()):
        quantity = " ".join(fields.pop(name) for name in ("result", "unit") if name in fields)
        return f"{quantity} ({', '.join(f'{key}: {text}' for key, text in fields.items())})" if fields else quantity
    return "\n".join(f"{key}: {text}" for key, text in fields.items())


class _Resolver(NamedTuple):
    """One binding in progress: the available results, the prefix, and the problems found so far."""

    results: Mapping[str, Json]
    prefix: str
    problems: list[str]

    def bind(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._bind_text(value) if f"{{{self.prefix}." in value else value
        if isinstance(value, dict):
            return {key: self.bind(item) for key, item in cast(JsonObject, value).items()}
        if isinstance(value, list):
            return [self.bind(item) for item in cast(list[Json], value)]
        return value

    def _bind_text(self, text: str) -> Json:
        whole = reference_pattern(self.prefix).fullmatch(text)
        if whole:
            return self._look_up(whole[1])
        return reference_pattern(self.prefix).sub(lambda match: as_text(self._look_up(match[1])), text)

    def _look_up(self, expression: str) -> Json:
        target = split_reference(expression, self.results)
        if target is None:
            self.problems.append(f"{{{self.prefix}.{expression}}} does not name a {self.prefix} with a result")
            return None
        name, path = target
        value = self.results[name]
        for part in path:
            try:
                value = cast(list[Json], value)[int(part)] if isinstance(value, list) else cast(JsonObject, value)[part]
            except (KeyError, IndexError, ValueError, TypeError):
                problem = f"{{{self.prefix}.{expression}}}: the result of {self.prefix} {name!r} has no {part!r}"
                self.problems.append(problem)
                return None
        return value
