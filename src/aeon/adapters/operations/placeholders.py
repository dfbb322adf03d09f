"""Puts an input's fields where an operation names them."""

import re
from collections.abc import Callable
from typing import cast
from urllib.parse import quote

from aeon.base.json import Json, JsonObject

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def fill(value: Json, given: JsonObject) -> Json:
    """`value` with the fields in their places: whole, its type kept, where `{name}` stands alone, else as text.

    A field that was not given is dropped together with the key or item that is nothing but it, else it is empty.
    """
    if isinstance(value, str):
        alone = _PLACEHOLDER.fullmatch(value)
        return given.get(alone[1]) if alone else fill_text(value, given)
    if isinstance(value, dict):
        items = cast(JsonObject, value).items()
        return {fill_text(key, given): fill(item, given) for key, item in items if not _is_left_out(item, given)}
    if isinstance(value, list):
        return [fill(item, given) for item in cast(list[Json], value) if not _is_left_out(item, given)]
    return value


def fill_text(text: str, given: JsonObject, spelled: Callable[[str], str] = str) -> str:
    """`text` with the fields as `spelled`."""
    return _PLACEHOLDER.sub(lambda match: spelled(as_text(given.get(match[1]))), text)


def fill_path(path: str, given: JsonObject) -> str:
    """A URL's path: no field can add a segment, a query or a fragment. Raises ValueError for one that would climb."""
    made = fill_text(path, given, lambda text: quote(text, safe=""))
    if {".", ".."} & set(made.split("/")):
        raise ValueError(f"the path {made!r} would leave its place")
    return made


def as_text(value: Json) -> str:
    """A field inside a text: booleans as JSON has them, nothing for what was not given."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_left_out(value: Json, given: JsonObject) -> bool:
    alone = _PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
    return alone is not None and given.get(alone[1]) is None
