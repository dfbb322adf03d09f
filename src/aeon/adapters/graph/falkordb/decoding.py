"""The engine's compact answers as rows: values by type, a node or an edge as the object of its properties."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from aeon.base.json import Json, JsonObject
from aeon.platform.graph import QueryError, Row

Reply: TypeAlias = Any
"""What the wire carries: integers, bytes, None, exceptions and lists of them."""


class UnknownKeyError(LookupError):
    """The answer refers to a property by a number that was given after the names were last asked for."""


class Vector(list[float]):
    """A vector of 32-bit floats, which the engine tells from a list of numbers."""


def rows(reply: Reply, keys: Sequence[str]) -> list[Row]:
    """The rows of an answer; `keys` are the names of properties by their numbers.

    Raises UnknownKeyError, and QueryError for what is no JSON: paths, points, dates, infinities.
    """
    if len(reply) == 1:  # statistics only: the query returns nothing
        return []
    columns = [_word(name) for _, name in reply[0]]
    return [_row(columns, row, keys) for row in reply[1]]


def _row(columns: list[str], row: Reply, keys: Sequence[str]) -> Row:
    return {column: _value(cell, keys, column) for column, cell in zip(columns, row, strict=True)}


def _value(cell: Reply, keys: Sequence[str], column: str) -> Json:
    kind, value = cell
    decode = _DECODERS.get(kind)
    if decode is None:
        raise QueryError(
            f"The column {column!r} holds a {_UNWANTED.get(kind, 'value')}, which is no JSON.",
            next_step="Return nodes, edges, strings, numbers, booleans, lists or objects.",
        )
    return decode(value, keys, column)


def _word(value: Reply) -> str:
    return value.decode()


def _float(value: Reply, _keys: Sequence[str], column: str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise QueryError(f"The column {column!r} holds a number that is not finite.", next_step="See to the division.")
    return number


def _list(value: Reply, keys: Sequence[str], column: str) -> list[Json]:
    return [_value(part, keys, column) for part in value]


def _map(value: Reply, keys: Sequence[str], column: str) -> JsonObject:
    names, cells = value[::2], value[1::2]
    return {_word(name): _value(cell, keys, column) for name, cell in zip(names, cells, strict=True)}


def _node(value: Reply, keys: Sequence[str], column: str) -> JsonObject:
    return _properties(value[2], keys, column)


def _edge(value: Reply, keys: Sequence[str], column: str) -> JsonObject:
    return _properties(value[4], keys, column)


def _properties(value: Reply, keys: Sequence[str], column: str) -> JsonObject:
    return {_key(number, keys): _value((kind, part), keys, column) for number, kind, part in value}


def _key(number: int, keys: Sequence[str]) -> str:
    if number >= len(keys):
        raise UnknownKeyError(number)
    return keys[number]


_DECODERS: dict[int, Callable[[Reply, Sequence[str], str], Json]] = {
    1: lambda _value, _keys, _column: None,
    2: lambda value, _keys, _column: _word(value),
    3: lambda value, _keys, _column: int(value),
    4: lambda value, _keys, _column: value == b"true",
    5: _float,
    6: _list,
    7: _edge,
    8: _node,
    10: _map,
    12: lambda value, _keys, _column: Vector(float(part) for part in value),
}
"""By the engine's number of the type."""

_UNWANTED = {9: "path", 11: "point", 13: "time", 14: "date", 15: "time of day", 16: "duration"}
