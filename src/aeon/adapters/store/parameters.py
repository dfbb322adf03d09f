"""Converts parameters to values that both databases accept."""

import math
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.store import ParameterError, Params, QueryError

_INTEGER_LIMIT = 2**63


def bind_parameters(params: Params | None) -> JsonObject:
    """Returns the parameters with lists as JSON text and booleans as 0 and 1.

    Raises ParameterError for values that not every database can store: NUL, lone surrogates, integers beyond 64 bits,
    non-finite numbers; QueryError for objects, which the caller must encode.
    """
    return {} if params is None else {name: _value(name, value) for name, value in params.items()}


def _value(name: str, value: Json) -> Json:
    kind = type(cast(object, value))
    if kind is str:
        return value if value.isascii() and "\0" not in value else _text(name, value)
    if kind is bool:
        return int(value)
    if kind is int and not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise ParameterError(f"The parameter {name!r} is an integer beyond 64 bits.")
    if kind is float and not math.isfinite(value):
        raise ParameterError(f"The parameter {name!r} is a number that is not finite.")
    if isinstance(value, list):
        return canonical_json([_value(name, item) for item in cast(list[Json], value)])
    if isinstance(value, dict):
        raise QueryError(f"The parameter {name!r} is an object. Encode it as JSON text.")
    return value


def _text(name: str, value: str) -> str:
    if "\0" in value:
        raise ParameterError(f"The parameter {name!r} contains a NUL character, which no store accepts.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"The parameter {name!r} contains a lone surrogate, which is not text.") from None
    return value
