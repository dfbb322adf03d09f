"""Replaces placeholders in an operation by fields of the input."""

import re
from collections.abc import Callable
from typing import cast
from urllib.parse import quote

from aeon.base.json import Json, JsonObject, text_of
from aeon.platform.catalog.operations import OperationError

_LARGEST_WHOLE = 2.0**53
"""Above it, a float no longer tells one whole number from the next."""

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def fill(value: Json, arguments: JsonObject) -> Json:
    """Return `value` with the fields filled in: with its type if `{name}` is the whole string, else as text.

    A missing field is dropped with the key or item that consists only of it; inside other text it is empty. A null
    that was given is kept, and empty in a text.
    """
    if isinstance(value, str):
        alone = _PLACEHOLDER.fullmatch(value)
        return _field(arguments, alone[1]) if alone else fill_text(value, arguments)
    if isinstance(value, dict):
        items = cast(JsonObject, value).items()
        return {
            fill_text(key, arguments): fill(item, arguments) for key, item in items if not is_left_out(item, arguments)
        }
    if isinstance(value, list):
        return [fill(item, arguments) for item in cast(list[Json], value) if not is_left_out(item, arguments)]
    return value


def fill_text(text: str, arguments: JsonObject, encode: Callable[[str], str] = str) -> str:
    """Return `text` with the fields filled in, each encoded by `encode`."""
    return _PLACEHOLDER.sub(lambda match: encode(_as_text(_field(arguments, match[1]))), text)


def fill_path(path: str, arguments: JsonObject) -> str:
    """Fill a URL path; no field can add a segment, query or fragment.

    Raises OperationError for `.` or `..` segments, and for an empty field: the path would name another resource.
    """
    if empty := dict.fromkeys(name for name in _PLACEHOLDER.findall(path) if arguments.get(name) in (None, "")):
        names = ", ".join(map(repr, empty))
        raise OperationError(
            f"the path {path!r} has no value for {names}",
            next_step=f"Give {names} a value, or leave the call out where there is none.",
        )
    filled = fill_text(path, arguments, lambda text: quote(text, safe=""))
    if {".", ".."} & set(filled.split("/")):
        raise OperationError(f"the path {filled!r} contains . or .. segments")
    return filled


def is_left_out(value: Json, arguments: JsonObject) -> bool:
    """Return whether a value consists only of a field that is missing."""
    alone = _PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
    return alone is not None and alone[1] not in arguments


def without_nulls(arguments: JsonObject) -> JsonObject:
    """Return the fields that are not null, for what has no form for a null, such as a query."""
    return {name: value for name, value in arguments.items() if value is not None}


def _field(arguments: JsonObject, name: str) -> Json:
    """Return a field, null if it is missing, and 2 for 2.0: a schema takes both as an integer, many services do not."""
    value = arguments.get(name)
    if isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST_WHOLE:
        return int(value)
    return value


def _as_text(value: Json) -> str:
    """Return a field as text: "" for null, anything but a text as JSON."""
    return "" if value is None else text_of(value)
