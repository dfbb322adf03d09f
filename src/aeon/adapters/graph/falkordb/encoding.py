"""Parameters as the engine reads them: a header before the query, and nothing in it that the engine would misread.

The engine clamps integers past 64 bits, stops at a NUL, and answers floats with 15 significant digits. What it cannot
carry is therefore refused here, and floats are rounded on the way in, so that what is read equals what was written.
"""

import math
import re
import sys
from collections.abc import Mapping
from typing import cast

from aeon.base.json import MAX_DEPTH, Json
from aeon.platform.graph import Params, QueryError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_INT_BITS = 63
_ADVICE = "Give strings without NUL, 64-bit integers, finite floats, booleans, None, and lists and objects of them."


class _RefusedError(ValueError):
    """A value that cannot be sent. `path` grows outwards while it is raised."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


def header(params: Params | None) -> str:
    """What stands before the query, `CYPHER name=value ...`; nothing for no parameters.

    Raises QueryError that names the parameter and where in it, never its value.
    """
    if not params:
        return ""
    return f"CYPHER {' '.join(_assignment(name, value) for name, value in params.items())} "


def quoted(name: str) -> str:
    """A label, type or property as an identifier. Raises QueryError for one that the engine cannot spell."""
    if not name or "`" in name or "\0" in name:
        raise QueryError(f"{name[:80]!r} cannot name a label, an edge or a property.", next_step="Choose another name.")
    return f"`{name}`"


def _assignment(name: str, value: Json) -> str:
    if not _NAME.match(name):
        raise QueryError(
            f"{name[:80]!r} cannot name a parameter.", next_step="Use letters, digits and underscores, no digit first."
        )
    try:
        return f"{name}={_text(value, 0)}"
    except _RefusedError as refused:
        raise QueryError(f"The parameter ${name}{refused.path} {refused.reason}.", next_step=_ADVICE) from None


def _text(value: Json, depth: int) -> str:
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
        raise _RefusedError(f"is nested deeper than {MAX_DEPTH}")
    if isinstance(value, Mapping):
        entries = cast("Mapping[Json, Json]", value).items()
        return "{" + ",".join(_entry(key, part, depth) for key, part in entries) + "}"
    if isinstance(value, (list, tuple)):
        parts = cast("list[Json]", value)
        return "[" + ",".join(_item(at, part, depth) for at, part in enumerate(parts)) + "]"
    raise _RefusedError(f"is of type {type(value).__name__}")


def _item(at: int, part: Json, depth: int) -> str:
    try:
        return _text(part, depth + 1)
    except _RefusedError as refused:
        raise _RefusedError(refused.reason, f"[{at}]{refused.path}") from None


def _entry(key: Json, part: Json, depth: int) -> str:
    if not isinstance(key, str):
        raise _RefusedError(f"has a key of type {type(key).__name__}")
    if not key or "`" in key:
        raise _RefusedError("has an empty key or one with a backtick")
    try:
        return f"`{_clean(key)}`:{_text(part, depth + 1)}"
    except _RefusedError as refused:
        raise _RefusedError(refused.reason, f".{ascii(key)[1:-1]}{refused.path}") from None


def _string(value: str) -> str:
    escaped = _clean(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _clean(value: str) -> str:
    if "\0" in value:
        raise _RefusedError("holds a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _RefusedError("holds half a surrogate pair, which is no text") from None
    return value


def _integer(value: int) -> str:
    if not -(1 << _INT_BITS) <= value < 1 << _INT_BITS:
        raise _RefusedError("is an integer of more than 64 bits")
    return str(int(value))


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise _RefusedError("is not a finite number")
    text = format(value, ".15g")
    if value and not sys.float_info.min <= abs(float(text)) < math.inf:
        raise _RefusedError("is too large or too small a float")
    return text if "." in text or "e" in text else f"{text}.0"
