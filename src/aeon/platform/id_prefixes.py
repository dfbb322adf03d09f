"""The beginning of an id, by which people name a thing."""

from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.errors import NotFoundError

_AFTER_ALL: Final = "\U0010ffff"
"""Sorts after every character of an id or a name."""


def require_prefix(text: str) -> None:
    """Raise NotFoundError for a text without content: every id begins with it, so it would mean any thing."""
    if not text.strip():
        raise NotFoundError("The name or id is empty.", next_step="Give a name, an id, or the beginning of an id.")


def id_range(prefix: str) -> JsonObject:
    """Return the parameters of a query for ids that begin with `prefix`. Raises NotFoundError for an empty one."""
    require_prefix(prefix)
    return text_range(prefix)


def text_range(prefix: str) -> JsonObject:
    """Return the parameters of a query for texts that begin with `prefix`."""
    return {"prefix": prefix, "end": prefix + _AFTER_ALL}
