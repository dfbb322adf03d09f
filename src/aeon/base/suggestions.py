"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches

_MIN_SIMILARITY = 0.7
"""The least similarity of two names that may be the same, from 0 to 1."""


def closest_name(key: str, known: Iterable[str]) -> str | None:
    """The known name closest to `key`, compared as a whole or by its last part; None if none is close."""
    names = list(known)
    whole = get_close_matches(key, names, 1, _MIN_SIMILARITY)
    if whole:
        return whole[0]
    ends = {name.rpartition(".")[2]: name for name in names}
    last = get_close_matches(key.rpartition(".")[2], list(ends), 1, _MIN_SIMILARITY)
    return ends[last[0]] if last else None
