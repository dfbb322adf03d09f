"""What the client answers as rows: a node or an edge as the object of its properties, and what is no JSON refused."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.graph import QueryError, Row

_LISTS: frozenset[type] = frozenset({list, tuple})
"""By the very class: a point is a tuple, too, of a class of its own."""


def row(record: Any) -> Row:
    """A record by column. Raises QueryError for what is no JSON: paths, points, dates, bytes, infinities."""
    return {column: _value(value, column) for column, value in record.items()}


def _value(value: Any, column: str) -> Json:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _finite(value, column)
    if type(value) in _LISTS:
        return [_value(part, column) for part in cast("list[Any]", value)]
    if hasattr(value, "element_id"):
        return _object(value.items(), column)
    if isinstance(value, Mapping):
        return _object(cast("Mapping[str, Any]", value).items(), column)
    raise QueryError(
        f"The column {column!r} holds a {type(value).__name__.lower()}, which is no JSON.",
        next_step="Return nodes, edges, strings, numbers, booleans, lists or objects.",
    )


def _object(items: Iterable[tuple[str, Any]], column: str) -> JsonObject:
    return {name: _value(part, column) for name, part in items}


def _finite(value: float, column: str) -> float:
    if not math.isfinite(value):
        raise QueryError(f"The column {column!r} holds a number that is not finite.", next_step="See to the division.")
    return value
