"""`Page`: a part of a list, with an opaque cursor to the next part."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from aeon.application.argument_types import require_argument
from aeon.base.json import Json, canonical_json, parse_strict
from aeon.platform.errors import RuleError

T_co = TypeVar("T_co", covariant=True)

MAX_PAGE = 1000
"""The most items on a page."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    """Items of a list in its order. `next_cursor` continues after them; None at the end of the list."""

    items: Sequence[T_co]
    next_cursor: str | None


def page_of(found: Sequence[T_co], limit: int, next_cursor: str) -> "Page[T_co]":
    """The page of `limit` items, of which one more was read to see whether there are more."""
    return Page(found[:limit], next_cursor if len(found) > limit else None)


def checked_limit(limit: int) -> int:
    """The number of items on a page. Raises RuleError unless it is from 1 to `MAX_PAGE`, InputError for no number."""
    require_argument(limit, int, "limit", "a whole number")
    if not 1 <= limit <= MAX_PAGE:
        raise RuleError(f"A page has 1 to {MAX_PAGE} items, not {limit}.", rule="page_limit", field="$.limit")
    return limit


def encode_cursor(position: Sequence[Json]) -> str:
    """The text that stands for a place in a list; callers give it back and do not look into it."""
    return base64.urlsafe_b64encode(canonical_json(list(position)).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *kinds: type) -> list[Json]:
    """The place that a cursor stands for, whose parts have these types. Raises RuleError for another text."""
    try:
        text = base64.b64decode(cursor.encode() + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = parse_strict(text.decode())
    except (ValueError, binascii.Error):
        parts = None
    if not isinstance(parts, list) or [type(each) for each in cast("list[Json]", parts)] != list(kinds):
        raise RuleError(
            f"{cursor!r} is not a cursor of this list.",
            rule="cursor",
            field="$.after",
            next_step="Give the cursor that came with a page of the same list, or none for the first page.",
        )
    return cast("list[Json]", parts)
