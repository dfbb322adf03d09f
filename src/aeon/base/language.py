"""The language of a short text, by its most usual words. Pure; only for languages that have them listed here."""

import re
from collections.abc import Mapping
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+")
_USUAL: Final[Mapping[str, str]] = {
    "English": """
        the a an of to and in is it you that he was for on are with as his they at be this have from or had by but what
        were we when your can said there how do does did my me i which who will would could please give tell write
        no not so if
    """,
    "German": """
        der die das den dem des ein eine einen einem einer und oder aber nicht ich du er sie es wir ihr ist sind war wie
        was wer wann wo warum wieviel viele mit von vom zu zum zur auf für aus bei nach mir mich dir dich mein meine
        bitte heißt schreib gib sag laut auch noch nur im am um
    """,
    "French": """
        le la les un une des du de et ou mais est sont je tu il elle nous vous ils que qui quoi quand où comment combien
        pour avec dans sur mon ma mes ton ta s'il plaît pas ce cette quel quelle écris donne
    """,
    "Spanish": """
        el la los las un una unos y o pero es son yo tú él ella nosotros que qué quién cuándo dónde cómo cuánto cuántos
        para con en por mi mis tu su no este esta cuál escribe dame del al de
    """,
    "Italian": """
        il lo la gli le un uno una e o ma è sono io tu lui lei noi che chi quando dove come quanto quanti per con nel
        nella di da mio mia non questo questa qual scrivi dammi del della
    """,
    "Dutch": """
        de het een en of maar niet ik jij hij zij wij is zijn was hoe wat wie wanneer waar waarom veel met van voor uit
        bij naar mij mijn alsjeblieft schrijf geef deze dit dat ook nog
    """,
}
LANGUAGES: Final = tuple(_USUAL)
"""The languages that `language_of` knows."""
_BY_LANGUAGE: Final = {language: frozenset(words.split()) for language, words in _USUAL.items()}


def language_of(text: str) -> str | None:
    """The English name of the language of `text`; None if no language has clearly more of its words than the others."""
    hits = sorted(((count, name) for name, count in count_usual_words(text).items()), reverse=True)
    (most, language), (second, _) = hits[:2]
    return language if most > second else None


def count_usual_words(text: str) -> dict[str, int]:
    """How many words of `text` are usual ones, by the English name of the language."""
    words = words_of(text)
    return {name: sum(word in usual for word in words) for name, usual in _BY_LANGUAGE.items()}


def words_of(text: str) -> list[str]:
    """The words of `text`, folded."""
    return [word.casefold() for word in _WORD.findall(text)]


def with_language(request: str) -> str:
    """A request with its language named, for a model that would answer in English otherwise."""
    language = language_of(request)
    return request if language in (None, "English") else f"{request}\nAnswer in {language}."
