"""A text as the name finder reads it: its words, its language, and what is known of how its user writes. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.common_words import LANGUAGES, Language
from aeon.platform.search.message_words import composed

WordCases: TypeAlias = Mapping[str, tuple[int, int]]
"""By folded word: how often a user wrote it within sentences as names are written, and how often otherwise."""

_HIDDEN: Final = LazyPattern(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\b(?:https?|ftp)://\S+|\bwww\.\S+|[^\s@]{1,64}@[^\s@]{1,255}\.\w+|(?<!\w)(?:[~.]?/[\w.-]+)+/?|\b\w+\.(?:py|js|ts|md|txt|csv|json|ya?ml|"
    r"pdf|html?|docx?|xlsx?|png|jpe?g|sh|c|cpp|rs|go|java)\b|\b\w+\([^)\n]*\)|\b\w*_\w+\b",
    re.DOTALL,
)

"""Code, addresses and the names of files."""

_TOKEN: Final = LazyPattern(r"[^\W\d_](?:[\w\u2019'&+.-]*[\w+])?|\d+")
_ENDS: Final = LazyPattern(r"[.!?\u2026:;\n\u2022*|>]|(?:^|\s)-\s|--|\u2014")
_QUOTES_OR_NONE: Final = ('"', "'", "\u201c", "\u201d", "\u201e", "\u201a", "\u2018", "\u00ab", "\u00bb", "(", "[")
_TITLE: Final = LazyPattern(r"\b(?:Dr|Prof|Mr|Mrs|Ms|St|Fr|Hr|Mme|Mlle|M|Ing|Mag|Dipl)$")
_BEFORE_DOT: Final = 12
"""Characters before a dot in which a title stands, with what comes before it."""
_POSSESSIVE: Final = LazyPattern(r"['\u2019](?:s|S)?$")
_ELISION: Final = LazyPattern(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['\u2019](?=\w)", re.IGNORECASE)
INNER: Final = LazyPattern(r"^[^\W\d_]{0,40}[a-z][^\W\d_]{0,40}[A-Z]|^[A-Z]{1,40}[a-z]{1,40}[A-Z]")
_SHOUTED_WORDS: Final = 4
_SHOUTED: Final = 0.7
"""The share of words in capital letters from which on a text is shouted."""


class Token(NamedTuple):
    """A word: as written without possessive, folded, its place, and whether a sentence begins with it."""

    text: str
    folded: str
    start: int
    begins: bool
    gap: str

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or INNER.match(self.text) is not None


class TextReading(NamedTuple):
    """A text as the finder reads it."""

    text: str
    tokens: Sequence[Token]
    language: str
    known: Language
    cases: WordCases
    within: frozenset[str]
    """Folded words that have a capital letter within sentences of this text."""


def words_of(text: str) -> set[str]:
    """Returns the folded words of a text: those of which `WordCases` may know something."""
    return {token.folded for token in _tokens(text)}


def language_of(text: str) -> str:
    """Returns the language of a text, "en", "de" or "fr", by its small words; "en" if it has none."""
    words = [token.folded for token in _tokens(text)]
    counts = {name: sum(word in known.grammar for word in words) for name, known in LANGUAGES.items()}
    return max(counts, key=lambda name: counts[name])


def read_text(text: str, cases: WordCases) -> TextReading:
    """Returns a text as the finder reads it, with composed letters."""
    text = composed(text)
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
    return TextReading(text, tokens, language, LANGUAGES[language], cases, within)


def _is_known_name(counted: tuple[int, int]) -> bool:
    capital, other = counted
    return capital > other


def _is_shouted(tokens: Sequence[Token]) -> bool:
    """Whether a text of several words has capital letters only, which then say nothing."""
    words = [token for token in tokens if len(token.text) > 1 and not token.text.isdigit()]
    return len(words) >= _SHOUTED_WORDS and sum(token.text.isupper() for token in words) > _SHOUTED * len(words)


def _tokens(text: str) -> Iterator[Token]:
    plain = _HIDDEN.sub(lambda found: "\ufffc" * len(found[0]), composed(text))
    end = 0
    for found in _TOKEN.finditer(plain):
        gap = plain[end : found.start()]
        word, start = found[0], found.start()
        elided = _ELISION.match(word)
        if elided and not (word[0].isupper() and word[elided.end()].isupper() and end and not _ENDS.search(gap)):
            word, start = word[elided.end() :], start + elided.end()
        word = _POSSESSIVE.sub("", word)
        after_title = gap.startswith(".") and _TITLE.search(plain[max(0, end - _BEFORE_DOT) : end]) is not None
        begins = not after_title and (end == 0 or _ENDS.search(gap) is not None or gap.strip()[-1:] in _QUOTES_OR_NONE)
        yield Token(word, word.casefold(), start, begins, gap if start == found.start() else "'")
        end = found.end()


def is_joined(token: Token) -> bool:
    is_blank = not token.gap.strip() and "\n" not in token.gap
    return (is_blank or token.gap in (" & ", "-", "'")) and not token.begins


def has_determiner(reading: TextReading, place: int) -> bool:
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
