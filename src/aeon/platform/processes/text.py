"""Formats lists of names for messages."""

from collections.abc import Iterable
from itertools import islice

_MAX_NAMES = 10


def join_names(names: Iterable[str]) -> str:
    """Join the first ten names, with "..." if there are more."""
    shown = [name[:80] for name in islice(names, _MAX_NAMES + 1)]
    return ", ".join([*shown[:_MAX_NAMES], *(["..."] if len(shown) > _MAX_NAMES else [])]) or "none"
