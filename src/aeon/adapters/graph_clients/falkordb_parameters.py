"""Encodes parameters for FalkorDB as a header, without values that it would misread.

The server clamps integers beyond 64 bits, stops at a NUL, and returns floats with 15 significant digits. Unsupported
values are therefore refused, and floats are rounded before writing, so that reading returns what was written.
"""

import math
import re
import sys
from collections.abc import Mapping
from typing import cast

from aeon.base.errors import InputError
from aeon.base.json import MAX_DEPTH, Json, JsonObject

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_INTEGER_LIMIT = 2**63


class RefusedParameterError(InputError):
    """The graph does not accept this parameter."""

    next_step = "Give strings without NUL, 64-bit integers, finite floats, booleans, None, and lists and objects."


class _RefusedValueError(ValueError):
    """A value that cannot be sent. `path` grows outwards as the error propagates."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


def parameter_header(params: Mapping[str, Json] | None) -> str:
    """Returns the header before the query, `CYPHER name=value ...`; empty without parameters.

    Raises RefusedParameterError, which names the parameter and the path in it, never the value (platform 3).
    """
    if not params:
        return ""
    return f"CYPHER {' '.join(f'{name}={_parameter(name, value)}' for name, value in params.items())} "


def _parameter(name: str, value: Json) -> str:
    if not _NAME.match(name):
        raise RefusedParameterError(f"{name[:80]!r} is not a valid parameter name.")
    try:
        return _literal(value, 0)
    except _RefusedValueError as refused:
        raise RefusedParameterError(f"The parameter ${name}{refused.path} {refused.reason}.") from None


def _literal(value: Json, depth: int) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    return _container(value, depth)


def _container(value: Json, depth: int) -> str:
    if depth >= MAX_DEPTH:
        raise _RefusedValueError(f"is nested deeper than {MAX_DEPTH}")
    if isinstance(value, Mapping):
        entries = [_entry(key, part, depth) for key, part in cast("JsonObject", value).items()]
        return f"{{{','.join(entries)}}}"
    if isinstance(value, (list, tuple)):
        parts = cast("list[Json]", value)
        return f"[{','.join(_at(f'[{index}]', part, depth) for index, part in enumerate(parts))}]"
    raise _RefusedValueError(f"is of type {type(value).__name__}")


def _entry(key: Json, part: Json, depth: int) -> str:
    if not isinstance(key, str):
        raise _RefusedValueError(f"has a key of type {type(key).__name__}")
    if not key or "`" in key:
        raise _RefusedValueError("has an empty key or one with a backtick")
    return f"`{_checked(key)}`:{_at(f'.{ascii(key)[1:-1]}', part, depth)}"


def _at(place: str, part: Json, depth: int) -> str:
    try:
        return _literal(part, depth + 1)
    except _RefusedValueError as refused:
        raise _RefusedValueError(refused.reason, f"{place}{refused.path}") from None


def _string(value: str) -> str:
    escaped = _checked(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _checked(value: str) -> str:
    if "\0" in value:
        raise _RefusedValueError("contains a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _RefusedValueError("contains a lone surrogate, which is not text") from None
    return value


def _integer(value: int) -> str:
    if not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise _RefusedValueError("is an integer of more than 64 bits")
    return str(int(value))


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise _RefusedValueError("is not a finite number")
    text = format(value, ".15g")
    if value and not sys.float_info.min <= abs(float(text)) < math.inf:
        raise _RefusedValueError("is too large or too small a float")
    return text if "." in text or "e" in text else f"{text}.0"
