"""The style of a text's numbers: 1,234.5 in English is 1.234,5 in German and 1 234,5 in French. Pure."""

import re
from typing import Final

from aeon.base.language import count_usual_words, words_of
from aeon.base.lazy_pattern import LazyPattern

_SEARCHED: Final = 2000
"""Characters of a text whose words tell its language."""
_COMMA_LANGUAGES: Final = ("German", "French", "Italian", "Dutch")
"""Languages with a decimal comma. Spanish has both styles."""
_OF_ARITHMETIC: Final = {
    "English": "what calculate compute times divided convert percent miles feet inches pounds days weeks hours minutes",
    "German": """
        was wieviel ergibt ergeben macht berechne rechne rechnen mal geteilt durch in prozent wurzel meile meilen
        kilometern metern zoll fuß gramm pfund unzen sekunde sekunden minute minuten stunde stunden tag tage tagen woche
        wochen monat monate monaten jahr jahre jahren
        """,
    "French": """
        combien font fait égale calcule calculez multiplié divisé fois moins cent pourcent racine milles kilomètres
        mètres grammes heures secondes jour jours semaines ans
        """,
}
"""Words of short calculations that are no usual words of texts."""
_BY_LANGUAGE: Final = {language: frozenset(words.split()) for language, words in _OF_ARITHMETIC.items()}

_TYPOGRAPHIC: Final = LazyPattern(r"(?<![\d.,])([1-9]\d{0,2})((?:[\u00a0\u2009\u202f]\d{3})+)(?!\d)")
_SPACED: Final = LazyPattern(r"(?<![\d.,])(?<!\d )([1-9]\d{0,2})((?: \d{3})+)(?! ?\d)")
"""Groups of thousands after spaces that break no line, and after any."""
_NUMERAL: Final = LazyPattern(r"(?<![\w.,:])\d[\d.,]*(?<=\d)(?![\w:]|[.,]\d)")
_GROUPED: Final = LazyPattern(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")
_WITH_COMMA: Final = LazyPattern(r"\d+,\d+")
_ENGLISH: Final = LazyPattern(r"\d+\.(?:\d{1,2}|\d{4,})|0\.\d+|[1-9]\d{0,2}(?:,\d{3})+\.\d+|[1-9]\d{0,2}(?:,\d{3}){2,}")
"""Numerals that only English style has."""
_COMMA_GROUP: Final = LazyPattern(r"[1-9]\d{0,2},\d{3}")
_CALL: Final = LazyPattern(r"[^\W\d_]\(")
"""A function, between whose numbers commas stand."""


def groups_with_points(request: str) -> bool:
    """Whether a request is evidently in a language in which 1.500 is one and a half thousand."""
    return _comma_language(request) is not None


def without_grouping_points(text: str) -> str:
    """A model's text without the points in its groups of thousands; the same if a numeral is in English style."""
    if any(_ENGLISH.fullmatch(numeral) or _COMMA_GROUP.fullmatch(numeral) for numeral in _NUMERAL.findall(text)):
        return text
    return _NUMERAL.sub(
        lambda numeral: numeral[0].replace(".", "") if _GROUPED.fullmatch(numeral[0]) else numeral[0], text
    )


def with_english_numerals(text: str) -> str:
    """A text with its numerals in English style: "Was ist 1.234,5 * 2?" has 1234.5.

    A numeral that English and German read differently is changed only where the language is evident and no other
    numeral of the text is in English style. Spaces group digits in French, and those that break no line everywhere.
    """
    text = _TYPOGRAPHIC.sub(_joined, text)
    language = _comma_language(text)
    if language is None:
        return text
    if language == "French":
        text = _SPACED.sub(_joined, text)
    if any(_ENGLISH.fullmatch(numeral[0]) and text[numeral.end() :][:1] != "." for numeral in _NUMERAL.finditer(text)):
        return text
    has_call = _CALL.search(text) is not None
    return _NUMERAL.sub(lambda numeral: _in_english(numeral[0], has_call=has_call), text)


def _joined(groups: re.Match[str]) -> str:
    return re.sub(r"\D", "", groups[0])


def _in_english(numeral: str, *, has_call: bool) -> str:
    if _GROUPED.fullmatch(numeral) or (not has_call and _WITH_COMMA.fullmatch(numeral)):
        return numeral.replace(".", "").replace(",", ".")
    return numeral


def _comma_language(text: str) -> str | None:
    """The language of a text, if it is evident and has a decimal comma."""
    counts = count_usual_words(text[:_SEARCHED])
    words = words_of(text[:_SEARCHED])
    for language, usual in _BY_LANGUAGE.items():
        counts[language] += sum(word in usual for word in words)
    best = max(_COMMA_LANGUAGES, key=lambda language: counts[language])
    return best if counts[best] > max(counts["English"], counts["Spanish"]) else None
