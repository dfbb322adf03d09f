"""A text with composed letters, and where each of its characters stands in the text as it is stored. Pure.

What macOS writes may have accents as characters of their own ("e" and U+0301), which end a word for a pattern.
"""

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from aeon.platform.search.message_words import composed


class ComposedText(NamedTuple):
    """A composed text. `places` are those of its characters and of its end in the text that it is made of."""

    text: str
    places: range | list[int]


def compose_in_place(text: str) -> ComposedText:
    """Returns a text with composed letters, and their places in it."""
    if unicodedata.is_normalized("NFC", text):
        return ComposedText(text, range(len(text) + 1))
    parts: list[str] = []
    places: list[int] = []
    start = 0
    for letter in _letters(text):
        parts.append(composed(letter))
        places += [start] * len(parts[-1])
        start += len(letter)
    return ComposedText("".join(parts), [*places, start])


def _letters(text: str) -> Iterator[str]:
    """Yield the parts of a text that are composed on their own: a character with those that join it."""
    letter = text[:1]
    for character in text[1:]:
        if unicodedata.combining(character) or composed(letter + character) != composed(letter) + composed(character):
            letter += character
        else:
            yield letter
            letter = character
    yield letter
