"""Expressions in texts, `{= n - 1}`: what they compute, and where one ends (platform 41)."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.processes.expressions.cel_paths import find_closing_brace
from aeon.platform.processes.expressions.conditions import (
    CompiledCondition,
    ConditionError,
    ValueNames,
    compile_expression,
    evaluate_cel,
)

OPENING: Final = "{="
"""What an expression begins with, in a text."""

_MAX_ELEMENTS: Final = 1_000_000
"""Elements of a computed value. The library shares parts of a value; as JSON they are copies."""

_JSON_TYPES: Final[Mapping[str, str]] = {
    "BOOL": "boolean",
    "INT": "integer",
    "UINT": "integer",
    "DOUBLE": "number",
    "STRING": "string",
    "TIMESTAMP": "string",
    "DURATION": "number",
    "LIST": "array",
    "MAP": "object",
    "NULL": "null",
}


def compute(source: str, values: Mapping[str, Json]) -> Json:
    """Return the value of an expression as JSON; a point in time as text, a duration in seconds.

    `values` are those of a condition. Raises ConditionError.
    """
    result = evaluate_cel(compile_expression(source, ValueNames(values)), values, is_exact=True)
    return _JsonConverter(source).convert(result.value())


def json_type_of(expression: CompiledCondition) -> str | None:
    """Return the JSON type of what an expression gives, None if it depends on the values."""
    return _JSON_TYPES.get(expression.program.return_type().name().partition("<")[0])


@lru_cache(maxsize=1024)
def split_expressions(text: str) -> tuple[str, ...]:
    """Return the parts of a text: at odd places the sources of expressions, at even places what stands between them.

    An expression that is not closed is text.
    """
    parts: list[str] = []
    start = 0
    while (opening := text.find(OPENING, start)) >= 0:
        closing = find_closing_brace(text, opening + len(OPENING))
        if closing is None:
            break
        parts += [text[start:opening], text[opening + len(OPENING) : closing].strip()]
        start = closing + 1
    return (*parts, text[start:])


class _JsonConverter:
    """Converts one computed value, within a number of elements."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._left = _MAX_ELEMENTS

    def convert(self, value: object) -> Json:  # noqa: PLR0911  # one for each kind of value
        self._left -= 1
        if self._left < 0:
            raise self._error(f"has more than {_MAX_ELEMENTS:,} elements")
        if value is None or isinstance(value, bool | str | int):
            return cast(Json, value)
        if isinstance(value, float):
            return self._number(value)
        if isinstance(value, datetime):
            return value.isoformat()
        if isinstance(value, timedelta):
            return value.total_seconds()
        if isinstance(value, Mapping):
            return self._object(cast(Mapping[object, object], value))
        if isinstance(value, list | tuple):
            return [self.convert(item) for item in cast("list[object]", value)]
        if (inner := getattr(value, "value", None)) is not None:  # an element that the library wraps
            return self.convert(inner())
        raise self._error("is not a JSON value")

    def _number(self, value: float) -> Json:
        if not math.isfinite(value):
            raise self._error("is not a finite number")
        return value

    def _object(self, value: Mapping[object, object]) -> JsonObject:
        if not all(isinstance(key, str) for key in value):
            raise self._error("has keys that are not texts")
        return {str(key): self.convert(item) for key, item in value.items()}

    def _error(self, what: str) -> ConditionError:
        return ConditionError(
            f"The result of the expression `{self._source[:200]}` {what}.", next_step="Correct the step's inputs."
        )
