"""Splits a text at the ends of its sentences into parts of a limited size. Pure."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern

_SENTENCE: Final = LazyPattern(
    "[^.!?\u2026\u3002\uff01\uff1f\n]*(?:[.!?\u2026\u3002\uff01\uff1f\n]+[\\s\"'\u201d\u00bb)]*|$)"
)
"""A sentence with its sign and the blanks after it; a line is one, too."""


class TextSpan(NamedTuple):
    """Characters `start` to `end` of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part's characters."""
        return text[self.start : self.end]


def split_text(text: str, size_of: Callable[[str], int], limit: int) -> list[TextSpan]:
    """Return the parts of a text in order, which together are the text; each has at most the size `limit`.

    `size_of` measures a text: its sizes may add up to more than the size of the whole, but not to less. A sentence that
    is too long is cut. A text that fits, also an empty one, is one part.
    """
    if size_of(text) <= limit:
        return [TextSpan(0, len(text))]
    parts: list[TextSpan] = []
    size = 0
    for piece, piece_size in _pieces(text, size_of, limit):
        if parts and size + piece_size <= limit:
            parts[-1] = TextSpan(parts[-1].start, piece.end)
            size += piece_size
        else:
            parts.append(piece)
            size = piece_size
    return parts


def _pieces(text: str, size_of: Callable[[str], int], limit: int) -> Iterator[tuple[TextSpan, int]]:
    """Yield the sentences of a text with their sizes; halves of those that are too long, and halves of halves."""
    ends = [match.end() for match in _SENTENCE.finditer(text) if match[0]]
    waiting = [TextSpan(start, end) for start, end in pairwise([0, *ends])][::-1]
    while waiting:
        piece = waiting.pop()
        size = size_of(piece.of(text))
        if size <= limit or piece.end - piece.start == 1:
            yield piece, size
        else:
            middle = _middle(text, piece)
            waiting += [TextSpan(middle, piece.end), TextSpan(piece.start, middle)]


def _middle(text: str, piece: TextSpan) -> int:
    """Return where a piece is cut: after the last blank of its first half, or in its middle."""
    middle = (piece.start + piece.end) // 2
    return text.rfind(" ", piece.start + 1, middle) + 1 or middle
