"""Lists of names that fit into a message."""

from collections.abc import Iterable
from itertools import islice

_MOST = 10


def join_names(names: Iterable[str]) -> str:
    """The first ten, and that there are more."""
    shown = [name[:80] for name in islice(names, _MOST + 1)]
    return ", ".join([*shown[:_MOST], *(["..."] if len(shown) > _MOST else [])]) or "none"
