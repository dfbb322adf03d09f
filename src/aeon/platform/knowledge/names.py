"""Finds the names in a text by code: of persons, places, organizations, products (platform 36). Pure.

A capital letter says little at the beginning of a sentence, and nothing in German, where every noun has one. What helps
is how the user writes a word elsewhere (`WordCases`), what stands before it, and lists of common words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from aeon.platform.knowledge.common_words import (
    COMMON_ACRONYMS,
    FRENCH_OR_ENGLISH_ENDINGS,
    GERMAN_NOUN_BEGINNINGS,
    GERMAN_NOUN_ENDINGS,
    GERMAN_NOUNS,
    GERMAN_VERBS,
    LANGUAGES,
    LEADING_ARTICLES,
    LEGAL_FORMS,
    LONG_NOUN,
    NAME_ENDINGS,
    OBJECTS,
    PARTICLES,
    PLURAL_VERBS,
    STREETS,
    TIMES_AND_TONGUES,
    TITLES,
    WATERS,
    Language,
)

WordCases: TypeAlias = Mapping[str, tuple[int, int]]
"""By folded word: how often a user wrote it within sentences as names are written, and how often otherwise."""

_HIDDEN: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\b(?:https?|ftp)://\S+|\bwww\.\S+|\S+@\S+\.\w+|(?<!\w)(?:[~.]?/[\w.-]+)+/?|\b\w+\.(?:py|js|ts|md|txt|csv|json|ya?ml|"
    r"pdf|html?|docx?|xlsx?|png|jpe?g|sh|c|cpp|rs|go|java)\b|\b\w+\([^)\n]*\)|\b\w*_\w+\b",
    re.DOTALL,
)
"""Code, addresses and the names of files."""

_TOKEN: Final = re.compile(r"[^\W\d_](?:[\w\u2019'&+.-]*[\w+])?|\d+")
_ENDS: Final = re.compile(r"[.!?\u2026:;\n\u2022*|>]|(?:^|\s)-\s|--|\u2014")
_QUOTES_OR_NONE: Final = ('"', "'", "\u201c", "\u201d", "\u201e", "\u201a", "\u2018", "\u00ab", "\u00bb", "(", "[")
_TITLE: Final = re.compile(r"\b(?:Dr|Prof|Mr|Mrs|Ms|St|Fr|Hr|Mme|Mlle|M|Ing|Mag|Dipl)$")
_FIRST_PERSON: Final = re.compile(r"i(?:['\u2019]|$)")
_POSSESSIVE: Final = re.compile(r"['\u2019](?:s|S)?$")
_ELISION: Final = re.compile(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['\u2019](?=\w)", re.IGNORECASE)
_INNER: Final = re.compile(r"^[^\W\d_]*[a-z][^\W\d_]*[A-Z]|^[A-Z]+[a-z]+[A-Z]")
_MAX_WORDS: Final = 6
_MAX_PARTICLES: Final = 2
_SHOUTED_WORDS: Final = 4
_SURE: Final = 3
"""How often a word was written as a name, from where on that decides."""

_PREFIXED: Final = 6
_SHORTEST_NOUN: Final = 4
"""Letters of a common noun that ends a compound, and of what stands before it less one."""

_HARD_PARTICLES: Final = frozenset({"la", "le", "the", "der", "den", "zur", "zu", "du", "des"})
"""Particles that stand within names in French alone."""


class FoundName(NamedTuple):
    """A name as it is written, and the place of its first letter."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The place after its last letter."""
        return self.start + len(self.text)


class _Token(NamedTuple):
    """A word: as written without possessive, folded, its place, and whether a sentence begins with it."""

    text: str
    folded: str
    start: int
    begins: bool
    gap: str

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or _INNER.match(self.text) is not None


class _Reading(NamedTuple):
    """A text as the finder reads it."""

    text: str
    tokens: Sequence[_Token]
    language: str
    known: Language
    cases: WordCases
    within: frozenset[str]
    """Folded words that have a capital letter within sentences of this text."""


def find_names(text: str, cases: WordCases | None = None) -> list[FoundName]:
    """Returns the names in a text, in order, each occurrence. `cases` is what is known of the user's words."""
    reading = _read(text, cases or {})
    return list(_phrases(reading))


def distinct_names(names: Sequence[FoundName]) -> list[str]:
    """Returns each name once, without those that are a part of a longer one."""
    texts = list(dict.fromkeys(each.text for each in names))
    return [each for each in texts if not any(_is_part(each, other) for other in texts)]


def words_of(text: str) -> set[str]:
    """Returns the folded words of a text: those of which `WordCases` may know something."""
    return {token.folded for token in _tokens(text)}


def language_of(text: str) -> str:
    """Returns the language of a text, "en", "de" or "fr", by its small words; "en" if it has none."""
    words = [token.folded for token in _tokens(text)]
    counts = {name: sum(word in known.grammar for word in words) for name, known in LANGUAGES.items()}
    return max(counts, key=lambda name: counts[name])


def count_cases(text: str) -> dict[str, tuple[int, int]]:
    """Returns what a text says of how its user writes words: see `WordCases`.

    In German a noun after an article counts as written otherwise, since names have none.
    """
    reading = _read(text, {})
    found: dict[str, tuple[int, int]] = {}
    for place, token in enumerate(reading.tokens):
        if token.begins or token.text.isdigit() or (len(token.text) > 1 and token.text.isupper()):
            continue
        like_name = token.is_capital and not (reading.language == "de" and _has_determiner(reading, place))
        capital, other = found.get(token.folded, (0, 0))
        found[token.folded] = (capital + 1, other) if like_name else (capital, other + 1)
    return found


def _is_part(name: str, other: str) -> bool:
    return name != other and f" {name} " in f" {other} "


def _read(text: str, cases: WordCases) -> _Reading:
    tokens = list(_tokens(text))
    language = language_of(text)
    shouts = _is_shouted(tokens)
    within = frozenset(
        token.folded
        for token in tokens
        if token.is_capital and not token.begins and not (shouts and token.text.isupper())
    )
    if shouts:
        tokens = [token for token in tokens if _is_known_name(cases.get(token.folded, (0, 0)))]
    return _Reading(text, tokens, language, LANGUAGES[language], cases, within)


def _is_known_name(counted: tuple[int, int]) -> bool:
    capital, other = counted
    return capital > other


def _is_shouted(tokens: Sequence[_Token]) -> bool:
    """Whether a text of several words has capital letters only, which then say nothing."""
    words = [token for token in tokens if len(token.text) > 1 and not token.text.isdigit()]
    return len(words) >= _SHOUTED_WORDS and sum(token.text.isupper() for token in words) > 0.7 * len(words)


def _tokens(text: str) -> Iterator[_Token]:
    plain = _HIDDEN.sub(lambda found: "\ufffc" * len(found[0]), text)
    end = 0
    for found in _TOKEN.finditer(plain):
        gap = plain[end : found.start()]
        word, start = found[0], found.start()
        elided = _ELISION.match(word)
        if elided and not (word[0].isupper() and word[elided.end()].isupper() and end and not _ENDS.search(gap)):
            word, start = word[elided.end() :], start + elided.end()
        word = _POSSESSIVE.sub("", word)
        after_title = gap.startswith(".") and _TITLE.search(plain[:end]) is not None
        begins = not after_title and (end == 0 or _ENDS.search(gap) is not None or gap.strip()[-1:] in _QUOTES_OR_NONE)
        yield _Token(word, word.casefold(), start, begins, gap if start == found.start() else "'")
        end = found.end()


def _phrases(reading: _Reading) -> Iterator[FoundName]:
    """Yield the names: runs of words with capital letters, joined by particles, of which each begins as a name does."""
    place = 0
    while place < len(reading.tokens):
        end = _run_end(reading, place)
        if end == place:
            place += 1
            continue
        first = _first_of_name(reading, place, end)
        after = _noun_within(reading, first, end)
        is_adjective = after < end and reading.tokens[after - 1].folded.endswith("er")  # "Bremer Kollegen"
        if first < after and not is_adjective:
            yield _name_of(reading, reading.tokens[first:after], is_genitive=after < end)
        place = max(after, place + 1)


def _noun_within(reading: _Reading, first: int, end: int) -> int:
    """Return where a German common noun ends a run after a name: "Henrikes Bruder"; the run's end without one."""
    if reading.language == "de" and first < end and reading.tokens[end - 1].folded not in LEGAL_FORMS:
        for place in range(first + 1, end):
            word, before = reading.tokens[place].folded, reading.tokens[place - 1].folded
            if word in GERMAN_NOUNS or (before.endswith("s") and _is_plain_noun(word)):
                return place
    return end


def _name_of(reading: _Reading, tokens: Sequence[_Token], *, is_genitive: bool) -> FoundName:
    """Return the name that some words are; a German genitive before a noun loses its s."""
    last = tokens[-1]
    text = " ".join(reading.text[tokens[0].start : last.start + len(last.text)].split())
    head, _, end = text.rpartition("-")
    if head and end.casefold() in GERMAN_NOUNS and (_INNER.match(head) or head.isupper()):
        text = head
    return FoundName(text[:-1] if is_genitive and text.endswith("s") else text, tokens[0].start)


def _run_end(reading: _Reading, place: int) -> int:
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
            and _is_joined(tokens[beyond])
        ):
            beyond += 1
        if beyond >= len(tokens) or not _is_joined(tokens[beyond]) or not _may_be_in_name(reading, beyond):
            break
        if beyond > end and reading.language != "fr" and tokens[end].text in _HARD_PARTICLES:
            break
        end = beyond + 1
    return _water_after(reading, end) if reading.language == "de" else end


def _water_after(reading: _Reading, end: int) -> int:
    """Return the end of what follows a town's name, as in "Frankfurt am Main"; `end` itself without it."""
    tokens = reading.tokens
    for number in (1, 2):
        words = [token.folded for token in tokens[end : end + number]]
        if end + number < len(tokens) and words in (["am"], ["im"], ["an", "der"]):
            river = tokens[end + number].folded
            if (river in WATERS or river.endswith(("see", "meer"))) and tokens[end + number].is_capital:
                return end + number + 1
    return end


def _is_joined(token: _Token) -> bool:
    return token.gap in (" ", "\u00a0", " & ", "-", "'", " \u2019") and not token.begins


def _may_be_in_name(reading: _Reading, place: int) -> bool:
    """Whether a word has the form of a name's, at its place."""
    token = reading.tokens[place]
    word = token.folded
    if not token.is_capital or (len(token.text) == 1) or word in TIMES_AND_TONGUES:
        return False
    if token.text.isupper() and (word in COMMON_ACRONYMS or word in reading.known.grammar):
        return False
    if word not in reading.known.grammar:
        return True
    if reading.language == "de" or _FIRST_PERSON.match(word):
        return False
    return not token.begins or word in reading.within or _is_inside_title(reading, place)


def _is_inside_title(reading: _Reading, place: int) -> bool:
    """Whether a grammar word with a capital letter stands in a name, as in "The Who" and "La Rochelle"."""
    tokens = reading.tokens
    if tokens[place].folded in LEADING_ARTICLES:
        return place + 1 < len(tokens) and tokens[place + 1].is_capital and _is_joined(tokens[place + 1])
    before = tokens[place - 1] if place > 0 else None
    return before is not None and (before.is_capital or before.text in PARTICLES) and _is_joined(tokens[place])


def _first_of_name(reading: _Reading, place: int, end: int) -> int:
    """Return where the name in a run begins: after titles, first words of sentences and German nouns before it."""
    while place < end and not _begins_name(reading, place, end):
        place += 1
    return place


def _begins_name(reading: _Reading, place: int, end: int) -> bool:
    """Whether a name begins at a place of a run, which ends at `end`."""
    token = reading.tokens[place]
    word = token.folded
    if word in LEADING_ARTICLES and not token.begins and token.text[0].isupper() and reading.language != "de":
        return end - place > 1
    if _is_no_beginning(reading, place):
        return False
    is_company = end - place > 1 and reading.tokens[end - 1].folded in LEGAL_FORMS
    if is_company or _INNER.match(token.text) or (token.text.isupper() and len(token.text) > 1):
        return True
    if reading.language == "de" and _is_noun_at(reading, place, end):
        return False
    if token.begins:
        return _begins_sentence_as_name(reading, place, end)
    capital, other = reading.cases.get(word, (0, 0))
    return reading.language == "de" or capital >= other or capital >= _SURE


def _is_no_beginning(reading: _Reading, place: int) -> bool:
    """Whether no name begins with a word: a title, a particle, a legal form, or a small word of the language."""
    token = reading.tokens[place]
    word = token.folded
    if word in TITLES or token.text in PARTICLES or word in LEGAL_FORMS:
        return True
    is_small_word = word in reading.known.grammar and (token.begins or reading.language == "de")
    return is_small_word and word not in reading.within


def _begins_sentence_as_name(reading: _Reading, place: int, end: int) -> bool:
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


def _looks_like_first_name(reading: _Reading, word: str, end: int) -> bool:
    """Whether a word that stands at the beginning of a sentence alone, and nowhere else, may be a name."""
    first = word.partition("-")[0]
    if any(part in known.openers or part in known.grammar for known in LANGUAGES.values() for part in (word, first)):
        return False
    if reading.language == "de":
        return end < len(reading.tokens) and _is_verb_of_one(reading.tokens[end])
    return not word.endswith(FRENCH_OR_ENGLISH_ENDINGS)


def _is_noun_at(reading: _Reading, place: int, end: int) -> bool:
    return _is_noun_in_run(reading, place) if end - place > 1 else _is_german_noun(reading, place)


def _is_followed_by_object(reading: _Reading, end: int) -> bool:
    """Whether a first word is a verb: "Mark my words"."""
    after = reading.tokens[end]
    is_after = after.gap == " " and after.text.islower()
    return is_after and (after.folded in OBJECTS[reading.language] or after.folded in PLURAL_VERBS)


def _is_verb_of_one(token: _Token) -> bool:
    """Whether a German word after a first word is a verb of the third person: "Nele jobbt"."""
    is_verb = token.text.islower() and (token.folded.endswith("t") or token.folded in GERMAN_VERBS)
    return (is_verb and token.gap == " ") or (token.gap in (", ", " ") and token.folded == "und")


def _is_noun_in_run(reading: _Reading, place: int) -> bool:
    """Whether the first of several German words with capital letters is a noun before a name: "Projekt Polarstern"."""
    word, after = reading.tokens[place].folded, reading.tokens[place + 1]
    return word in GERMAN_NOUNS or (after.text in PARTICLES and _is_plain_noun(word))


def _is_german_noun(reading: _Reading, place: int) -> bool:
    """Whether a German word with a capital letter is a common noun at this place, not a name."""
    token = reading.tokens[place]
    word = token.folded
    if _is_street(reading, place):
        return False
    if _is_plain_noun(word):
        return True
    capital, other = reading.cases.get(word, (0, 0))
    if capital > 0 and capital >= other:
        return False
    if _has_determiner(reading, place):
        return True
    return other > capital


def _is_street(reading: _Reading, place: int) -> bool:
    """Whether a word is a street with its number: "Kaltenbachstraße 7"."""
    after = reading.tokens[place + 1 : place + 2]
    is_before_number = bool(after) and after[0].text.isdigit() and after[0].gap == " "
    return is_before_number and reading.tokens[place].text.casefold().endswith(
        tuple(each.casefold() for each in STREETS)
    )


def _is_plain_noun(word: str) -> bool:
    """Whether a folded German word is a common noun wherever it stands: listed, or formed as nouns are."""
    last = word.rpartition("-")[2]
    if last in GERMAN_NOUNS or last.endswith(GERMAN_NOUN_ENDINGS):
        return True
    if "-" in word or word.endswith(NAME_ENDINGS):
        return False
    if len(word) >= LONG_NOUN or (len(word) >= _PREFIXED and word.startswith(GERMAN_NOUN_BEGINNINGS)):
        return True
    return any(len(word) - at >= _SHORTEST_NOUN and word[at:] in GERMAN_NOUNS for at in range(3, len(word) - 3))


def _has_determiner(reading: _Reading, place: int) -> bool:
    """Whether an article or the like stands before a German noun, with up to two adjectives between."""
    tokens, known = reading.tokens, reading.known
    for before in range(place - 1, max(-1, place - 4), -1):
        if tokens[before + 1].begins or "," in tokens[before + 1].gap:
            return False
        word = tokens[before].folded
        if word in known.determiners or tokens[before].text.isdigit():
            return True
        is_adjective = (
            tokens[before].text.islower() and word.endswith(("e", "en", "er", "es", "em")) and word not in known.grammar
        )
        if not is_adjective:
            return False
    return False
