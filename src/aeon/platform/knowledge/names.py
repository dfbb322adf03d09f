"""Finds the names in a text by code: of persons, places, organizations, products (platform 36). Pure.

A capital letter says little at the beginning of a sentence, and nothing in German, where every noun has one. What helps
is how the user writes a word elsewhere (`WordCases`), what stands before it, and lists of common words.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.common_words import (
    APPOSITIONS,
    COMMON_ACRONYMS,
    FRENCH_OR_ENGLISH_ENDINGS,
    JOINING,
    LANGUAGES,
    LEADING_ARTICLES,
    LEGAL_FORMS,
    OBJECTS,
    OTHERS,
    PARTICLES,
    PLURAL_VERBS,
    TIMES_AND_TONGUES,
    TITLES,
    VERB_ENDINGS,
    VERBS_OF_ONE,
)
from aeon.platform.knowledge.german_nouns import (
    is_beside_speaker,
    is_common_noun,
    is_institution,
    is_noun_at,
    is_plain_noun,
    is_verb_of_one,
)
from aeon.platform.knowledge.german_words import (
    BEING,
    GERMAN_NOUNS,
    HOUSES,
    PERSON_TITLES,
    RELATIONS,
    WATERS,
)
from aeon.platform.knowledge.readings import INNER, TextReading, Token, WordCases, is_joined, read_text

_FIRST_PERSON: Final = LazyPattern(r"i(?:['\u2019]|$)")
_MAX_WORDS: Final = 6
_MAX_PARTICLES: Final = 2
_SURE: Final = 3
"""How often a word was written as a name, from where on that decides."""

_HARD_PARTICLES: Final = frozenset({"la", "le", "the", "der", "den", "zur", "zu", "du", "des"})
"""Particles that stand within names in French alone."""


class FoundName(NamedTuple):
    """A name as it is written, with composed letters, and the place of its first letter in the composed text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The place after its last letter."""
        return self.start + len(self.text)


def find_names(text: str, cases: WordCases | None = None) -> list[FoundName]:
    """Returns the names in a text, in order, each occurrence. `cases` is what is known of the user's words."""
    reading = read_text(text, cases or {})
    return list(_phrases(reading))


def distinct_names(names: Sequence[FoundName]) -> list[str]:
    """Returns each name once, without those that are a part of a longer one."""
    texts = list(dict.fromkeys(each.text for each in names))
    return [each for each in texts if not any(_is_part(each, other) for other in texts)]


def _is_part(name: str, other: str) -> bool:
    return name != other and f" {name} " in f" {other} "


def _phrases(reading: TextReading) -> Iterator[FoundName]:
    """Yield the names: runs of words with capital letters, joined by particles, of which each begins as a name does."""
    place = 0
    while place < len(reading.tokens):
        end = _run_end(reading, place)
        if end == place:
            place += 1
            continue
        first = _first_of_name(reading, place, end)
        after = _noun_within(reading, first, end)
        if first < after and not _is_before_noun(reading, first, after, end):
            yield _name_of(reading, reading.tokens[first:after], is_genitive=after < end)
        place = max(after, place + 1)


def _is_before_noun(reading: TextReading, first: int, after: int, end: int) -> bool:
    """Whether the words of a run before a noun are not a name: "Bremer Kollegen", "Hilft Wärme"."""
    if after == end:
        return False
    word = reading.tokens[after - 1]
    is_adjective = word.folded.endswith("es") and reading.tokens[after].folded not in RELATIONS
    is_genitive = word.folded.endswith("s") and not is_adjective
    return word.folded.endswith("er") or (reading.tokens[first].begins and not is_genitive)


def _noun_within(reading: TextReading, first: int, end: int) -> int:
    """Return where a German common noun ends a run after a name: "Henrikes Bruder"; the run's end without one."""
    if reading.language == "de" and first < end and reading.tokens[end - 1].folded not in LEGAL_FORMS:
        for place in range(first + 1, end):
            word, before = reading.tokens[place].folded, reading.tokens[place - 1].folded
            if before in PERSON_TITLES or before in HOUSES:
                continue
            is_noun = is_plain_noun(word) or word in RELATIONS
            is_owned = before.endswith("s") and (is_noun or _is_known_name(reading, before[:-1]))
            is_surname = place == end - 1 and not before.endswith("s") and before not in GERMAN_NOUNS
            if is_owned or (word in GERMAN_NOUNS and not (is_surname and _has_surname(reading, first, end))):
                return place
    return end


def _has_surname(reading: TextReading, first: int, end: int) -> bool:
    """Whether a noun may be the surname after a first name: "Katrin Winter leitet", not "Kaltes Wasser hilft"."""
    if not reading.tokens[first].begins:
        return True
    is_adjective = reading.tokens[first].folded.endswith(("e", "en", "er", "es", "em"))
    return not is_adjective and end < len(reading.tokens) and _stands_as_verb(reading.tokens[end])


def _is_known_name(reading: TextReading, word: str) -> bool:
    capital, other = reading.cases.get(word, (0, 0))
    return capital > other


def _name_of(reading: TextReading, tokens: Sequence[Token], *, is_genitive: bool) -> FoundName:
    """Return the name that some words are; a German genitive before a noun loses its s."""
    last = tokens[-1]
    text = " ".join(reading.text[tokens[0].start : last.start + len(last.text)].split())
    head, _, end = text.rpartition("-")
    is_acronym = INNER.match(head) is not None or head.isupper()
    if is_acronym and end.casefold() in GERMAN_NOUNS and not is_institution(text.casefold()):
        text = head
    return FoundName(text[:-1] if is_genitive and text.endswith("s") else text, tokens[0].start)


def _run_end(reading: TextReading, place: int) -> int:
    """Return the end of the run of capital words that begins at a place; the place itself if there is none."""
    tokens = reading.tokens
    if not _may_be_in_name(reading, place):
        return place
    end = place + 1
    while end < len(tokens) and end - place < _MAX_WORDS:
        beyond = end
        while (
            beyond < len(tokens)
            and beyond - end < _MAX_PARTICLES
            and tokens[beyond].text in PARTICLES
            and is_joined(tokens[beyond])
        ):
            beyond += 1
        if beyond >= len(tokens) or not is_joined(tokens[beyond]) or not _may_be_in_name(reading, beyond):
            break
        if beyond > end and tokens[beyond].folded in TITLES:
            break
        if beyond > end and reading.language == "de" and _is_of_noun(reading, place, beyond):
            break
        if beyond > end and reading.language != "fr" and tokens[end].text in _HARD_PARTICLES:
            break
        end = beyond + 1
    return _water_after(reading, end) if reading.language == "de" else end


def _is_of_noun(reading: TextReading, place: int, beyond: int) -> bool:
    """Whether a particle joins no name: "einen Rasenmäher von Stihl", "Nowotny von der Sparkasse"."""
    return is_common_noun(reading, place) or reading.tokens[beyond].folded in GERMAN_NOUNS


def _water_after(reading: TextReading, end: int) -> int:
    """Return the end of what follows a town's name, as in "Frankfurt am Main"; `end` itself without it."""
    tokens = reading.tokens
    for number in (1, 2):
        words = [token.folded for token in tokens[end : end + number]]
        if end + number < len(tokens) and words in (["am"], ["im"], ["an", "der"]):
            river = tokens[end + number].folded
            if (river in WATERS or river.endswith(("see", "meer"))) and tokens[end + number].is_capital:
                return end + number + 1
    return end


def _may_be_in_name(reading: TextReading, place: int) -> bool:
    """Whether a word has the form of a name's, at its place."""
    token = reading.tokens[place]
    word = token.folded
    if not token.is_capital or len(token.text) == 1:
        return False
    if word in TIMES_AND_TONGUES:
        return _is_surname_of(reading, place)
    if token.text.isupper() and (word in COMMON_ACRONYMS or word in reading.known.grammar):
        return False
    if word not in reading.known.grammar:
        return True
    if reading.language == "de" or _FIRST_PERSON.match(word):
        return False
    return not token.begins or word in reading.within or _is_inside_title(reading, place)


def _is_surname_of(reading: TextReading, place: int) -> bool:
    """Whether a first name or a title stands before a word that else is a season or a month: "Katrin Winter"."""
    before = reading.tokens[place - 1] if place > 0 and is_joined(reading.tokens[place]) else None
    if reading.tokens[place].folded.endswith(("day", "days")):
        return False
    if before is None or not before.is_capital or before.folded in TIMES_AND_TONGUES:
        return before is None and place > 0 and reading.tokens[place - 1].folded in PERSON_TITLES
    is_small_word = before.folded in reading.known.openers or before.folded in reading.known.grammar
    return before.folded in PERSON_TITLES or not (is_small_word or is_plain_noun(before.folded))


def _is_inside_title(reading: TextReading, place: int) -> bool:
    """Whether a grammar word with a capital letter stands in a name, as in "The Who" and "La Rochelle"."""
    tokens = reading.tokens
    if tokens[place].folded in LEADING_ARTICLES:
        return place + 1 < len(tokens) and tokens[place + 1].is_capital and is_joined(tokens[place + 1])
    before = tokens[place - 1] if place > 0 else None
    return before is not None and (before.is_capital or before.text in PARTICLES) and is_joined(tokens[place])


def _first_of_name(reading: TextReading, place: int, end: int) -> int:
    """Return where the name in a run begins: after titles, first words of sentences and German nouns before it."""
    while place < end and not _begins_name(reading, place, end):
        place += 1
    return place


def _begins_name(reading: TextReading, place: int, end: int) -> bool:
    """Whether a name begins at a place of a run, which ends at `end`."""
    token = reading.tokens[place]
    word = token.folded
    if word in LEADING_ARTICLES and not token.begins and token.text[0].isupper() and reading.language != "de":
        return end - place > 1
    if _is_no_beginning(reading, place):
        return False
    is_company = end - place > 1 and reading.tokens[end - 1].folded in LEGAL_FORMS
    if is_company or INNER.match(token.text) or (token.text.isupper() and len(token.text) > 1):
        return True
    if reading.language == "de" and is_noun_at(reading, place, end):
        return False
    if token.begins:
        return _begins_sentence_as_name(reading, place, end)
    capital, other = reading.cases.get(word, (0, 0))
    return reading.language == "de" or capital >= other or capital >= _SURE


def _is_no_beginning(reading: TextReading, place: int) -> bool:
    """Whether no name begins with a word: a title, a particle, a legal form, or a small word of the language."""
    token = reading.tokens[place]
    word = token.folded
    if word in TITLES or token.text in PARTICLES or word in LEGAL_FORMS:
        return True
    is_small_word = word in reading.known.grammar and (token.begins or reading.language == "de")
    return is_small_word and word not in reading.within


def _begins_sentence_as_name(reading: TextReading, place: int, end: int) -> bool:
    """Whether the first word of a sentence is a name: by the words after it and the user's others, else by its form."""
    word = reading.tokens[place].folded
    is_single = end - place == 1
    if not is_single and not reading.tokens[place + 1].begins and word not in reading.known.openers:
        return True
    if is_single and end < len(reading.tokens) and _is_followed_by_object(reading, end):
        return False
    capital, other = reading.cases.get(word, (0, 0))
    if capital + other > 0:
        return capital >= other and capital > 0
    return word in reading.within or _looks_like_first_name(reading, word, end)


def _looks_like_first_name(reading: TextReading, word: str, end: int) -> bool:
    """Whether a word that stands at the beginning of a sentence alone, and nowhere else, may be a name."""
    first = word.partition("-")[0]
    if any(part in known.openers or part in known.grammar for known in LANGUAGES.values() for part in (word, first)):
        return False
    if reading.language == "de":
        if word.endswith("iert"):
            return False
        if is_beside_speaker(reading, end - 1):
            return True
        return end < len(reading.tokens) and _stands_as_verb(reading.tokens[end]) and not _is_what_is(reading, end)
    return not word.endswith(FRENCH_OR_ENGLISH_ENDINGS) and _goes_on_as_after_name(reading, end)


def _goes_on_as_after_name(reading: TextReading, end: int) -> bool:
    """Whether what follows a first word may follow a name in English or French: nothing, a verb, an apposition."""
    if end == len(reading.tokens) or reading.tokens[end].begins:
        return True
    after, last = reading.tokens[end], reading.tokens[end - 1]
    if reading.text[last.start + len(last.text)] in "'\u2019":
        return True  # a possessive: "Oskar's birthday"
    if after.gap == ", " or after.folded in JOINING[reading.language]:
        beyond = reading.tokens[end + 1] if end + 1 < len(reading.tokens) else after
        is_name_after = after.is_capital or beyond.is_capital or beyond.folded in OTHERS
        return is_name_after or after.folded in APPOSITIONS[reading.language]
    is_verb = after.folded in VERBS_OF_ONE[reading.language] or after.folded.endswith(VERB_ENDINGS[reading.language])
    return after.gap != " " or (after.text.islower() and is_verb)


def _is_followed_by_object(reading: TextReading, end: int) -> bool:
    """Whether a first word is a verb: "Mark my words"."""
    after = reading.tokens[end]
    is_after = after.gap == " " and after.text.islower()
    return is_after and (after.folded in OBJECTS[reading.language] or after.folded in PLURAL_VERBS)


def _is_what_is(reading: TextReading, end: int) -> bool:
    """Whether a first word says what somebody is: "Dirigent ist Bruno"."""
    after = reading.tokens[end + 1] if end + 1 < len(reading.tokens) else None
    return reading.tokens[end].folded in BEING and after is not None and after.is_capital and not after.begins


def _stands_as_verb(token: Token) -> bool:
    """Whether a German word after a first word is a verb of the third person: "Nele jobbt"."""
    is_verb = token.text.islower() and is_verb_of_one(token)
    return (is_verb and token.gap == " ") or (token.gap in (", ", " ") and token.folded == "und")
