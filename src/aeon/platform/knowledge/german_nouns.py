"""Which German words with a capital letter are common nouns, not names, at their place. Pure."""

from typing import Final

from aeon.platform.knowledge.common_words import (
    GERMAN_NOUN_BEGINNINGS,
    GERMAN_NOUN_ENDINGS,
    GERMAN_NOUNS,
    LONG_NOUN,
    NAME_ENDINGS,
    PARTICLES,
    STREETS,
)
from aeon.platform.knowledge.readings import Reading, has_determiner

_PREFIXED: Final = 6
"""Letters from which on a beginning such as "ver" makes a noun."""

_SHORTEST_NOUN: Final = 4
"""Letters of a common noun that ends a compound, and of what stands before it less one."""


def is_noun_at(reading: Reading, place: int, end: int) -> bool:
    return _is_noun_in_run(reading, place) if end - place > 1 else _is_german_noun(reading, place)


def _is_noun_in_run(reading: Reading, place: int) -> bool:
    """Whether the first of several German words with capital letters is a noun before a name: "Projekt Polarstern"."""
    word, after = reading.tokens[place].folded, reading.tokens[place + 1]
    return word in GERMAN_NOUNS or (after.text in PARTICLES and is_plain_noun(word))


def _is_german_noun(reading: Reading, place: int) -> bool:
    """Whether a German word with a capital letter is a common noun at this place, not a name."""
    token = reading.tokens[place]
    word = token.folded
    if _is_street(reading, place):
        return False
    if is_plain_noun(word):
        return True
    capital, other = reading.cases.get(word, (0, 0))
    if capital > 0 and capital >= other:
        return False
    if has_determiner(reading, place):
        return True
    return other > capital


def _is_street(reading: Reading, place: int) -> bool:
    """Whether a word is a street with its number: "Kaltenbachstraße 7"."""
    after = reading.tokens[place + 1 : place + 2]
    is_before_number = bool(after) and after[0].text.isdigit() and after[0].gap == " "
    return is_before_number and reading.tokens[place].text.casefold().endswith(
        tuple(each.casefold() for each in STREETS)
    )


def is_plain_noun(word: str) -> bool:
    """Whether a folded German word is a common noun wherever it stands: listed, or formed as nouns are."""
    last = word.rpartition("-")[2]
    if last in GERMAN_NOUNS or last.endswith(GERMAN_NOUN_ENDINGS):
        return True
    if "-" in word or word.endswith(NAME_ENDINGS):
        return False
    if len(word) >= LONG_NOUN or (len(word) >= _PREFIXED and word.startswith(GERMAN_NOUN_BEGINNINGS)):
        return True
    return any(len(word) - at >= _SHORTEST_NOUN and word[at:] in GERMAN_NOUNS for at in range(3, len(word) - 3))
