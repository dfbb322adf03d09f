"""The words of messages: those of `tokenizer`, and pairs of characters where a script has no blanks between words."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.search.tokenizer import MAX_WORD_CHARS, folding_table

UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u30ff\u31f0-\u31ff"  # kana, marks and radicals
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"  # Chinese characters
)
"""The characters of scripts without blanks between words, as ranges of a regular expression."""

REMOVED: Final = "\0"
"""Stands in an aligned text for a character that does not count, such as an accent. No stored text has it."""

_RUN: Final = LazyPattern(f"([{UNSPACED}]+)")

_MAX_QUERY = 10_000
"""The number of characters of a query that are read."""

_MAX_QUERY_WORDS = 32

_SHORTEST_PREFIX = 3
"""The number of letters from which on the last word of a query may be the beginning of a word."""

_SHORTEST_ALONE = 2
"""That number where the query has no other word, and in Korean, where an ending may follow two syllables."""

_HANGUL = LazyPattern(r"[\uac00-\ud7a3]+")

_PREFIX_WEIGHT = 0.5


class QueryWord(NamedTuple):
    """A word of a query. `prefix_weight` is what a longer word that begins with it counts; 0 if it does not count."""

    text: str
    prefix_weight: float = 0


class MessageQuery(NamedTuple):
    """The distinct words of a query, and its runs of characters without blanks, which a hit shows as a whole."""

    words: tuple[QueryWord, ...]
    runs: tuple[str, ...]


def message_words(text: str) -> Iterator[str]:
    """Yield the words of a text in order. Every text is valid; some contain no words.

    A run of characters without blanks yields each character with the next one, and the last character alone, so that
    each character begins a word.
    """
    for part, is_unspaced in _parts(text):
        if is_unspaced:
            yield from (part[at : at + 2] for at in range(len(part)))
        else:
            yield part[:MAX_WORD_CHARS]


def parse_query(text: str) -> MessageQuery:
    """Return the words of a query, at most 32. Every text is valid."""
    words: dict[str, float] = {}
    runs: list[str] = []
    for part, is_unspaced in _parts(text[:_MAX_QUERY]):
        if not is_unspaced:
            words.setdefault(part[:MAX_WORD_CHARS], 0)
        elif len(part) == 1:
            words[part] = 1
        else:
            runs.append(part)
            words |= dict.fromkeys((part[at : at + 2] for at in range(len(part) - 1)), 0.0)
    last = next(reversed(words), "")
    if _may_go_on(last, is_alone=len(words) == 1):
        words[last] = _PREFIX_WEIGHT
    chosen = [*islice(words, _MAX_QUERY_WORDS - 1), last] if last else []
    return MessageQuery(tuple(QueryWord(word, words[word]) for word in dict.fromkeys(chosen)), tuple(runs))


def _may_go_on(word: str, *, is_alone: bool) -> bool:
    """Whether the last word of a query may be the beginning of a word; a pair of characters without blanks is none."""
    if len(word) >= _SHORTEST_PREFIX:
        return True
    return len(word) >= _SHORTEST_ALONE and not _RUN.fullmatch(word) and (is_alone or bool(_HANGUL.fullmatch(word)))


def aligned(text: str) -> str:
    """Return a text folded as its words are, with each character in its place."""
    return text.translate(_aligning_table())


def composed(text: str) -> str:
    """Return a text with letters and their accents as one character, as it looks the same."""
    return unicodedata.normalize("NFC", text)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words between blanks and punctuation, cut where a script without blanks begins or ends."""
    stored = composed(text.encode(errors="replace").decode())
    for word in stored.translate(folding_table()).replace("ß", "ss").split(" "):
        if word.isascii():
            if word:
                yield word, False
            continue
        for place, part in enumerate(_RUN.split(word)):
            if part:
                yield part, place % 2 == 1


@lru_cache(maxsize=1)
def _aligning_table() -> dict[int, str]:
    return {letter: folded or REMOVED for letter, folded in folding_table().items()}
