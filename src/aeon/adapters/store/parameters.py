"""Parameters as both databases take them."""

import math
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.store import Params, QueryError

_LARGEST = 2**63


def bind_parameters(params: Params | None) -> JsonObject:
    """The parameters with lists as JSON text and booleans as 0 and 1.

    Raises QueryError for what only one of the databases could keep: NUL in a text, half a surrogate pair, integers
    beyond 64 bits, numbers that are not finite, and objects, which the caller encodes.
    """
    return {} if params is None else {name: _value(name, value) for name, value in params.items()}


def _value(name: str, value: Json) -> Json:
    kind = type(cast(object, value))
    if kind is str:
        return value if value.isascii() and "\0" not in value else _text(name, value)
    if kind is bool:
        return int(value)
    if kind is int and not -_LARGEST <= value < _LARGEST:
        raise QueryError(f"The parameter {name!r} is an integer beyond 64 bits.")
    if kind is float and not math.isfinite(value):
        raise QueryError(f"The parameter {name!r} is a number that is not finite.")
    if isinstance(value, list):
        return canonical_json([_value(name, item) for item in cast(list[Json], value)])
    if isinstance(value, dict):
        raise QueryError(f"The parameter {name!r} is an object. Encode it as JSON text.")
    return value


def _text(name: str, value: str) -> str:
    if "\0" in value:
        raise QueryError(f"The parameter {name!r} holds a NUL character, which no store keeps.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise QueryError(f"The parameter {name!r} holds half a surrogate pair, which is not text.") from None
    return value
