"""The part of a message that a hit shows, with the places of the words that were found. Pure."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from aeon.platform.search.message_words import REMOVED, UNSPACED, MessageQuery, QueryWord, aligned, composed
from aeon.platform.search.tokenizer import MAX_WORD_CHARS

_WIDTH = 160
"""The number of characters of a message that a snippet shows."""

_BEFORE = 40
"""The number of characters that it shows before the first found word."""

_MAX_FOUND = 200
"""The number of found words among which the best place is chosen."""

_BETWEEN: Final = f"{re.escape(REMOVED)}*"
_CUT: Final = "\N{HORIZONTAL ELLIPSIS}"
_ONE_LINE: Final = dict.fromkeys(range(0x20), " ")


class Snippet(NamedTuple):
    """A part of a text on one line, and the places in it that were found: pairs of offsets, in order."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


def snippet_of(content: str, query: MessageQuery) -> Snippet:
    """Return the part of a text with the most distinct words of a query; without any, its beginning."""
    text = composed(content)
    pattern = _pattern(query)
    found = [match.span() for match in islice(pattern.finditer(aligned(text)), _MAX_FOUND)] if pattern else []
    begin = max(0, _best_place(text, found) - _BEFORE)
    end = min(len(text), begin + _WIDTH)
    lead = _CUT if begin else ""
    shift = len(lead) - begin
    marks = [(start + shift, min(stop, end) + shift) for start, stop in found if begin <= start < end]
    tail = _CUT if end < len(text) else ""
    return Snippet(f"{lead}{text[begin:end].translate(_ONE_LINE)}{tail}", tuple(marks))


def _best_place(text: str, found: Sequence[tuple[int, int]]) -> int:
    """Return where the most distinct words begin within one snippet; 0 if there is none."""
    words = [aligned(text[start:stop]) for start, stop in found]
    best, place = 0, 0
    for at, (start, _) in enumerate(found):
        near = {
            word for word, (other, _) in zip(words[at:], found[at:], strict=True) if other < start + _WIDTH - _BEFORE
        }
        if len(near) > best:
            best, place = len(near), start
    return place


def _pattern(query: MessageQuery) -> re.Pattern[str] | None:
    """Return what finds the words of a query in an aligned text, the longest first."""
    runs = [(len(run), _letters(run)) for run in query.runs]
    words = [(len(word.text), _word(word)) for word in query.words]
    each = [part for _, part in sorted(runs + words, key=lambda part: -part[0])]
    return re.compile("|".join(each)) if each else None


def _word(word: QueryWord) -> str:
    if re.match(f"[{UNSPACED}]", word.text):
        return _letters(word.text)
    inside = f"[^ {UNSPACED}]"
    is_open = word.prefix_weight or len(word.text) == MAX_WORD_CHARS
    return f"(?<!{inside}){_BETWEEN}{_letters(word.text)}" + (f"{inside}*" if is_open else f"{_BETWEEN}(?!{inside})")


def _letters(word: str) -> str:
    letters = _BETWEEN.join(map(re.escape, word))
    return letters.replace(f"s{_BETWEEN}s", f"(?:s{_BETWEEN}s|ß)")
