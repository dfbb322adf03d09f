"""Which German words with a capital letter are common nouns, not names, at their place. Pure."""

from typing import Final

from aeon.platform.knowledge.common_words import PARTICLES
from aeon.platform.knowledge.german_words import (
    BEING,
    FEMININE_ENDINGS,
    GERMAN_NOUN_BEGINNINGS,
    GERMAN_NOUN_ENDINGS,
    GERMAN_NOUNS,
    GERMAN_VERBS,
    HOUSES,
    INSTITUTIONS,
    KINDS,
    LOCATIVES,
    LONG_NOUN,
    NAME_ENDINGS,
    NAMES_LIKE_VERBS,
    NAMING,
    PERSON_TITLES,
    PERSONS,
    PLACE_PREPOSITIONS,
    PROFESSION_ENDINGS,
    RELATIONS,
    STREETS,
    SUBJECTS,
    WITH_ARTICLE,
)
from aeon.platform.knowledge.readings import TextReading, Token, has_determiner, is_joined

_PREFIXED: Final = 6
"""Letters from which on a beginning such as "ver" makes a noun."""

_SHORTEST_NOUN: Final = 4
"""Letters of a common noun that ends a compound, and of what stands before it less one."""


def is_noun_at(reading: TextReading, place: int, end: int) -> bool:
    return _is_noun_in_run(reading, place) if end - place > 1 else _is_german_noun(reading, place)


def _is_noun_in_run(reading: TextReading, place: int) -> bool:
    """Whether the first of several German words with capital letters is a noun before a name: "Projekt Polarstern"."""
    word, after = reading.tokens[place].folded, reading.tokens[place + 1]
    if word in HOUSES and after.is_capital:
        return False
    is_somebody = word in RELATIONS or word.endswith(FEMININE_ENDINGS)
    return is_somebody or word in GERMAN_NOUNS or (after.text in PARTICLES and is_common_noun(reading, place))


def is_common_noun(reading: TextReading, place: int) -> bool:
    """Whether a German word before a particle is a noun: "einen Rasenmäher von Stihl"."""
    return is_plain_noun(reading.tokens[place].folded) or has_determiner(reading, place)


def _is_german_noun(reading: TextReading, place: int) -> bool:
    """Whether a German word with a capital letter is a common noun at this place, not a name."""
    word = reading.tokens[place].folded
    if _is_street(reading, place) or _is_surname(reading, place) or is_institution(word) or word in WITH_ARTICLE:
        return False
    before = reading.tokens[place - 1].folded if place > 0 else ""
    capital, other = reading.cases.get(word, (0, 0))
    is_introduced = before == "bin" and not word.endswith(PROFESSION_ENDINGS)
    is_known = is_introduced or (capital > 0 and capital >= other)
    if _is_listed(word) or (is_plain_noun(word) and before not in LOCATIVES and not is_known):
        return True
    if is_known or is_beside_speaker(reading, place):
        return False
    if has_determiner(reading, place) or other > capital or _is_noun_by_place(reading, place):
        return True
    return not (before in PLACE_PREPOSITIONS or reading.tokens[place].begins or _is_beside_verb(reading, place))


def _is_beside_verb(reading: TextReading, place: int) -> bool:
    """Whether a verb of the third person or a naming word stands beside a word: "sagt Jette", "Jette lacht"."""
    before = reading.tokens[place - 1] if place > 0 and not reading.tokens[place].begins else None
    if _is_subject(reading, place):
        return True
    if before is None or before.folded in NAMING:
        return before is not None
    is_verb = is_verb_of_one(before) and (before.text.islower() or before.begins)
    return is_verb and not _has_subject(reading, place - 1)


def is_verb_of_one(token: Token) -> bool:
    """Whether a German word has the form of a verb of the third person."""
    return token.folded.endswith("t") or token.folded in GERMAN_VERBS


def _has_subject(reading: TextReading, verb: int) -> bool:
    """Whether a clause names its subject before its verb: "die Firma verlangt", not "am Samstag heiratet"."""
    first = verb
    while first > 0 and not reading.tokens[first].begins and "," not in reading.tokens[first].gap:
        first -= 1
    return first < verb and reading.tokens[first].folded in SUBJECTS


def _is_subject(reading: TextReading, place: int) -> bool:
    """Whether a verb of the third person follows a word: ", Jette lacht"."""
    after = reading.tokens[place + 1] if place + 1 < len(reading.tokens) else None
    return after is not None and after.gap == " " and after.text.islower() and is_verb_of_one(after)


def is_beside_speaker(reading: TextReading, place: int) -> bool:
    """Whether a word stands in a list that ends with a pronoun: "Ansgar, Mechthild und ich"."""
    tokens = reading.tokens
    after = place + 1
    while after < len(tokens) and tokens[after].is_capital and tokens[after].gap == ", ":
        after += 1
    if after + 1 >= len(tokens):
        return False
    return tokens[after].folded == "und" and tokens[after + 1].folded in PERSONS


def is_institution(word: str) -> bool:
    """Whether a folded word is a name with a hyphen: "Thünen-Institut", not "Musik-Schule"."""
    head, _, last = word.rpartition("-")
    return bool(head) and last in INSTITUTIONS and not is_plain_noun(head)


def is_placed_as_name(reading: TextReading, place: int) -> bool:
    """Whether a German word stands where names do: after "in" or "Frau" without an article, or after another name."""
    tokens = reading.tokens
    if place == 0 or tokens[place].begins:
        return False
    word, before = tokens[place].folded, tokens[place - 1]
    if _is_listed(word):
        return before.folded in PERSON_TITLES
    if is_joined(tokens[place]) and (before.folded in RELATIONS or before.folded.endswith(FEMININE_ENDINGS)):
        return True
    is_after_first_name = before.is_capital and is_joined(tokens[place]) and not is_plain_noun(before.folded)
    if before.folded in LOCATIVES | PERSON_TITLES | NAMING or (is_after_first_name and not before.begins):
        return True
    return before.folded in PLACE_PREPOSITIONS and not word.endswith("en") and not is_plain_noun(word)


def _is_surname(reading: TextReading, place: int) -> bool:
    """Whether "Frau", "Herr" or "Dr." stands before a word, or what bears a name, as in "Projekt Moorblick"."""
    before = reading.tokens[place - 1] if place > 0 and not reading.tokens[place].begins else None
    if before is None:
        return False
    is_kind = before.folded in KINDS and is_joined(reading.tokens[place])
    return before.folded in PERSON_TITLES or (is_kind and not _is_listed(reading.tokens[place].folded))


def _is_noun_by_place(reading: TextReading, place: int) -> bool:
    """Whether an unknown word is a noun by its ending and its neighbours: a verb, what somebody is, part of a list."""
    tokens = reading.tokens
    word = tokens[place].folded
    is_of_place = place > 0 and tokens[place - 1].folded in LOCATIVES
    if word.endswith("en") and not is_of_place and word not in NAMES_LIKE_VERBS:
        return True
    before = tokens[place - 1] if place > 0 and not tokens[place].begins else None
    if before is not None and before.folded in BEING and word.endswith(PROFESSION_ENDINGS):
        return True
    return _is_in_list_of_nouns(reading, place) and not _is_subject(reading, place)


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
