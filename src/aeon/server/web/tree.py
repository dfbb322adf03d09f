"""The order in which a page shows the messages and answers of a conversation: each below what it responds to. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aeon.application.conversations import Alternative


class TreeLine(NamedTuple):
    """A message or an answer. `level` counts the places above it where the conversation branches.

    `has_siblings` says whether there are alternatives to it. `continues` is what it responds to if that is not shown.
    """

    made: Alternative
    level: int
    has_siblings: bool
    continues: str | None


def depth_first(window: Sequence[Alternative]) -> Iterator[TreeLine]:
    """Yield a window of a tree so that what follows an alternative comes before its next sibling."""
    shown = {each.id for each in window}
    following: dict[str | None, list[Alternative]] = {}
    for each in window:
        following.setdefault(each.responds_to_id, []).append(each)
    beginnings = [parent for parent in following if parent not in shown]
    waiting = [line for parent in reversed(beginnings) for line in _lines(following[parent], 0, continues=parent)]
    while waiting:
        line = waiting.pop()
        yield line
        waiting += _lines(following.get(line.made.id, []), line.level)


def _lines(siblings: Sequence[Alternative], level: int, continues: str | None = None) -> list[TreeLine]:
    """The lines of the alternatives that follow one, the last one first."""
    has_siblings = len(siblings) > 1
    return [TreeLine(each, level + has_siblings, has_siblings, continues) for each in reversed(siblings)]
