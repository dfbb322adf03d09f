"""Words as the search in knowledge compares them: without English endings and, in questions, without common words."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from aeon.platform.search.message_words import message_words

_MAX_QUESTION = 10_000
"""The number of characters of a question that are read."""

_MAX_STEMS = 64
"""The number of distinct stems of a question that are searched."""

_VOWELS: Final = frozenset("aeiouy")
_SHORTEST: Final = 4
"""Shorter words have no ending."""

_ENGLISH = """
a about after also am an and any are as at be been before but by can could did do does during for from had has have he
her him his how i if in into is it its just me my no not of on or our s she so some t than that the their them then
there these they this those to was we were what when where which who whom whose why will with would you your
"""

_GERMAN = """
aber als am an auch auf aus bei das dass dem den der des dies diese dir du ein eine einem einen einer es fur habe haben
hatte ich ihr im ist ja kann mein meine mich mir nach nicht noch oder sein seine sich sie sind
so uber um und uns von vor wann waren was welche welcher wem wen wer wie wir wird wo wurde zu zum zur
"""

_FRENCH = """
au aux avec ce ces cette dans de des du elle elles en est et etait ete eu il ils je la le les leur lui ma mais mes moi
mon nous ou par pas pour qu quand que quel quelle qui sa se ses sont sur ta te tu un une vous
"""

COMMON_WORDS: Final = frozenset((_ENGLISH + _GERMAN + _FRENCH).split())
"""Words that say little about what is asked, folded. They count only in a question that has no others.

Without those that name something in another of the languages, such as `die`, `son` and `war`.
"""


def text_stems(text: str) -> list[str]:
    """Return the stems of a text's words in order. Every text is valid; some contain no words."""
    return [stem_of(word) for word in message_words(text)]


def question_stems(text: str) -> list[str]:
    """Return the stems of a question, each once, without common words unless it has no others."""
    words = list(message_words(text[:_MAX_QUESTION]))
    telling = [word for word in words if word not in COMMON_WORDS]
    return _distinct(telling or words)[:_MAX_STEMS]


def _distinct(words: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(map(stem_of, words))]


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """Return a folded word without the endings of an English plural, of `-ing`, `-ed` and `-ly`."""
    if len(word) < _SHORTEST or not word.isascii():
        return word
    return _without_final_vowel(_without_adverb(_without_verb(_without_plural(word))))


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > _SHORTEST:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_verb(word: str) -> str:
    """Return a word without `-ing` and `-ed`, and without the letter that they have doubled."""
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= _SHORTEST - 1 and not _VOWELS.isdisjoint(base):
            is_doubled = len(base) >= _SHORTEST and base[-1] == base[-2] and base[-1] not in "lsz"
            return base[:-1] if is_doubled else base
    return word


def _without_adverb(word: str) -> str:
    return word[:-2] if word.endswith("ly") and len(word) > _SHORTEST + 1 else word


def _without_final_vowel(word: str) -> str:
    """Return a word without a final `e`, and with `i` for a final `y`, so that its forms become one."""
    if len(word) < _SHORTEST:
        return word
    word = word.removesuffix("e")
    if len(word) >= _SHORTEST and word.endswith("y") and word[-2] not in _VOWELS:
        return f"{word[:-1]}i"
    return word
