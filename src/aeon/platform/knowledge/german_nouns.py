"""Which German words with a capital letter are common nouns, not names, at their place. Pure."""

from typing import Final

from aeon.platform.knowledge.common_words import (
    BEING,
    GERMAN_NOUN_BEGINNINGS,
    GERMAN_NOUN_ENDINGS,
    GERMAN_NOUNS,
    GERMAN_VERBS,
    LONG_NOUN,
    NAME_ENDINGS,
    NAMES_LIKE_VERBS,
    NAMING,
    PARTICLES,
    PERSON_TITLES,
    PLACE_PREPOSITIONS,
    PROFESSION_ENDINGS,
    STREETS,
)
from aeon.platform.knowledge.readings import TextReading, has_determiner, is_joined

_PREFIXED: Final = 6
"""Letters from which on a beginning such as "ver" makes a noun."""

_SHORTEST_NOUN: Final = 4
"""Letters of a common noun that ends a compound, and of what stands before it less one."""


def is_noun_at(reading: TextReading, place: int, end: int) -> bool:
    return _is_noun_in_run(reading, place) if end - place > 1 else _is_german_noun(reading, place)


def _is_noun_in_run(reading: TextReading, place: int) -> bool:
    """Whether the first of several German words with capital letters is a noun before a name: "Projekt Polarstern"."""
    word, after = reading.tokens[place].folded, reading.tokens[place + 1]
    return word in GERMAN_NOUNS or (after.text in PARTICLES and is_plain_noun(word))


def _is_german_noun(reading: TextReading, place: int) -> bool:
    """Whether a German word with a capital letter is a common noun at this place, not a name."""
    word = reading.tokens[place].folded
    if _is_street(reading, place) or _is_surname(reading, place):
        return False
    is_of_place = place > 0 and reading.tokens[place - 1].folded in PLACE_PREPOSITIONS
    if _is_listed(word) or (is_plain_noun(word) and not is_of_place):
        return True
    capital, other = reading.cases.get(word, (0, 0))
    if capital > 0 and capital >= other:
        return False
    if has_determiner(reading, place) or other > capital or _is_noun_by_place(reading, place, is_of_place=is_of_place):
        return True
    return not (is_of_place or reading.tokens[place].begins or _is_beside_verb(reading, place))


def _is_beside_verb(reading: TextReading, place: int) -> bool:
    """Whether a verb of the third person or a naming word stands beside a word: "sagt Jette", "Jette lacht"."""
    before = reading.tokens[place - 1] if place > 0 else None
    after = reading.tokens[place + 1] if place + 1 < len(reading.tokens) else None
    has_verb = any(
        token is not None and token.text.islower() and (token.folded.endswith("t") or token.folded in GERMAN_VERBS)
        for token in (before, after)
    )
    return has_verb or (before is not None and before.folded in NAMING)


def is_placed_as_name(reading: TextReading, place: int) -> bool:
    """Whether a German word stands where names do: after "in" or "Frau" without an article, or after another name."""
    tokens = reading.tokens
    if place == 0 or tokens[place].begins:
        return False
    word, before = tokens[place].folded, tokens[place - 1]
    if _is_listed(word):
        return before.folded in PERSON_TITLES
    is_after_first_name = before.is_capital and is_joined(tokens[place]) and not is_plain_noun(before.folded)
    return before.folded in PLACE_PREPOSITIONS | PERSON_TITLES | NAMING or (is_after_first_name and not before.begins)


def _is_surname(reading: TextReading, place: int) -> bool:
    """Whether "Frau", "Herr" or "Dr." stands before a word."""
    before = reading.tokens[place - 1] if place > 0 else None
    return before is not None and before.folded in PERSON_TITLES and not reading.tokens[place].begins


def _is_noun_by_place(reading: TextReading, place: int, *, is_of_place: bool) -> bool:
    """Whether an unknown word is a noun by its ending and its neighbours: a verb, what somebody is, part of a list."""
    tokens = reading.tokens
    word = tokens[place].folded
    if word.endswith("en") and not is_of_place and word not in NAMES_LIKE_VERBS:
        return True
    before = tokens[place - 1] if place > 0 and not tokens[place].begins else None
    if before is not None and before.folded in BEING and word.endswith(PROFESSION_ENDINGS):
        return True
    return _is_in_list_of_nouns(reading, place)


def _is_in_list_of_nouns(reading: TextReading, place: int) -> bool:
    """Whether a comma joins a word to a common noun: "Schrauben, Dübel, Farbeimer"."""
    tokens = reading.tokens
    before = tokens[place - 1] if place > 0 else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    sides = [
        before if before is not None and tokens[place].gap.strip() == "," else None,
        after if after is not None and after.gap.strip() == "," else None,
    ]
    return any(side is not None and side.is_capital and is_plain_noun(side.folded) for side in sides)


def _is_listed(word: str) -> bool:
    last = word.rpartition("-")[2]
    return last in GERMAN_NOUNS or last.endswith(GERMAN_NOUN_ENDINGS)


def _is_street(reading: TextReading, place: int) -> bool:
    """Whether a word is a street with its number: "Kaltenbachstraße 7"."""
    after = reading.tokens[place + 1 : place + 2]
    is_before_number = bool(after) and after[0].text.isdigit() and after[0].gap == " "
    return is_before_number and reading.tokens[place].text.casefold().endswith(
        tuple(each.casefold() for each in STREETS)
    )


def is_plain_noun(word: str) -> bool:
    """Whether a folded German word is a common noun wherever it stands: listed, or formed as nouns are."""
    if _is_listed(word):
        return True
    if "-" in word or word.endswith(NAME_ENDINGS):
        return False
    if len(word) >= LONG_NOUN or (len(word) >= _PREFIXED and word.startswith(GERMAN_NOUN_BEGINNINGS)):
        return True
    return any(len(word) - at >= _SHORTEST_NOUN and word[at:] in GERMAN_NOUNS for at in range(3, len(word) - 3))
