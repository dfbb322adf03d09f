"""The known name that a misspelt one stands for."""

from collections.abc import Iterable
from difflib import get_close_matches

_NEAR = 0.7
"""How alike two names are that may be the same, from 0 to 1."""


def closest_name(key: str, known: Iterable[str]) -> str | None:
    """The known name closest to `key`, going by the whole or by its last part."""
    names = list(known)
    whole = get_close_matches(key, names, 1, _NEAR)
    if whole:
        return whole[0]
    ends = {name.rpartition(".")[2]: name for name in names}
    last = get_close_matches(key.rpartition(".")[2], list(ends), 1, _NEAR)
    return ends[last[0]] if last else None
