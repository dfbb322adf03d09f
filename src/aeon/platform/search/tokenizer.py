"""Splits texts into words: lowercase, without accents, split at blanks and punctuation.

The record folds its texts with the same table, which migration 0002 contains.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

MAX_WORD_CHARS: Final = 64
"""The number of characters of a word that are compared."""

_FOLDED: Final = (
    range(0x01, 0x250),  # ASCII and Latin
    range(0x300, 0x590),  # accents, Greek, Cyrillic, Armenian
    range(0x1E00, 0x2070),  # more Latin and Greek; punctuation
    range(0x2E00, 0x2E80),  # more punctuation
    range(0x3000, 0x3040),  # punctuation of Chinese and Japanese
    range(0xFE00, 0xFE10),  # variation selectors
    range(0xFEFF, 0xFF00),  # the byte order mark
    range(0xFF01, 0xFF5F),  # ASCII in full width
)
"""The blocks whose characters are folded. All other characters, such as emoji, stay as they are in words."""

_ACCENTLESS: Final = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "\u0131": "i"}
"""Letters with a stroke or without a dot, which Unicode does not decompose."""


@lru_cache(maxsize=1)
def folding_table() -> Mapping[int, str]:
    """Returns the replacements of changed characters: a letter, digit, blank or nothing."""
    letters = (chr(code) for block in _FOLDED for code in block)
    pairs = ((letter, _folded(letter)) for letter in letters if unicodedata.category(letter) != "Cn")
    return {ord(letter): folded for letter, folded in pairs if folded != letter} | {0: " "}


def tokenize(text: str) -> list[str]:
    """Returns the words of a text in order. Every text is valid; some contain no words."""
    return split_folded(text.encode(errors="replace").decode().translate(folding_table()))


def split_folded(folded: str) -> list[str]:
    """Returns the words of a folded text."""
    return [word[:MAX_WORD_CHARS] for word in folded.split(" ") if word]


def trigrams(words: Iterable[str]) -> list[str]:
    """Returns the trigrams of words, each padded with two blanks before and one after."""
    padded = "".join(f"  {word}" for word in words) + " "
    grams = (padded[at : at + 3] for at in range(len(padded) - 2))
    return list(dict.fromkeys(each for each in grams if each.strip(" ")))


def _folded(letter: str) -> str:
    form = "NFKD" if ord(letter) >= _FOLDED[-1].start else "NFD"
    base = "".join(each for each in unicodedata.normalize(form, letter) if unicodedata.category(each)[0] != "M")
    if not base or unicodedata.category(letter) == "Cf":
        return ""
    lower = base.casefold() if len(base.casefold()) == 1 else base.lower()
    lower = _ACCENTLESS.get(lower, lower)
    return lower if lower.isalnum() else " "
