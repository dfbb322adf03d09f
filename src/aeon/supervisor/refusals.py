"""Refusals in a model's own words: "I'm sorry, but I cannot provide an out-of-office reply". Pure."""

import re
from typing import Final

from aeon.base.lazy_pattern import LazyPattern

_SEARCHED: Final = 400
"""Characters at the beginning of an answer in which it would refuse."""
_LONGEST: Final = 3
"""Sentences of an answer that only refuses; a longer one has something of what was asked for."""

_SORRY: Final = r"(?:i['\u2019]?m|i am)(?: very| so| really)? sorry"
_ENGLISH: Final = (
    rf"{_SORRY},? (?:but )?i (?:cannot|can['\u2019]?t|can not|am not able to|am unable to)\b"
    rf"|(?:(?:{_SORRY}|sorry|unfortunately|i apologi[sz]e|my apologies)\W{{0,3}})?"
    r"(?:but |however,? )?(?:as an? (?:ai|language model|text)[^.,]{0,60}\W{0,3})?(?:but |however,? )?"
    r"i (?:(?:cannot|can['\u2019]?t|can not|am not able to|['\u2019]?m not able to|am unable to)(?: \w+ly)? "
    r"(?:provide|assist|fulfill?|comply|access|browse|generate|predict|perform|answer|create|complete|help you with"
    r"|help with|write|determine)"
    r"|(?:do not|don['\u2019]?t) have (?:\w+ ){0,3}(?:access to|the ability to|(?:real-time|live|current) \w+))"
)
_GERMAN: Final = (
    r"(?:(?:(?:es )?tut mir (?:sehr )?leid|entschuldigung|leider)\W{0,3}(?:aber |dass )?)?(?:ich kann|kann ich|ich)"
    r"\b[^.!?]{0,80}\b(?:nicht|kein\w*)\b[^.!?]{0,80}"
    r"\b(?:bereitstellen|helfen|liefern|schreiben|erstellen|zugreifen|beantworten|durchführen|ausführen|abrufen)\b"
)
_FRENCH: Final = (
    r"(?:(?:je suis )?(?:désolée?|navrée?)\W{0,3}(?:mais )?)?je ne (?:peux|suis)(?: pas)?\b[^.!?]{0,40}"
    r"\b(?:fournir|aider|accéder|générer|écrire|répondre|prédire|effectuer|créer)\b"
)
_SPANISH: Final = (
    r"(?:(?:lo siento|disculpa|lamentablemente)\W{0,3}(?:pero )?)?no (?:puedo|soy capaz de)\b[^.!?]{0,40}"
    r"\b(?:proporcionar\w*|ayudar\w*|acceder|generar|escribir|responder|predecir|realizar|crear)\b"
)
_REFUSAL: Final = LazyPattern(rf"\W*(?:{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_SPANISH})", re.IGNORECASE)
_WANTED: Final = LazyPattern(
    r"\b(?:can(?:['\u2019]?t|not| not)|unable|won['\u2019]?t|not able|declin\w*|refus\w*|reject\w*|cancel\w*"
    r"|say(?:s|ing)? no|sorry|apolog\w*|nicht|kein\w*|abs(?:age|agen)|ablehn\w*|entschuldig\w*|ne (?:peux|peut)"
    r"|désolée?|no puedo|rechaz\w*)\b",
    re.IGNORECASE,
)
"""Words of a request that wants a refusal, or tells of something that cannot be."""
_SENTENCE: Final = LazyPattern(r"[.!?](?:\s+|$)")


def find_refusal(text: str, request: str) -> str | None:
    """The first sentence of an answer that only refuses; None for any other.

    A request that wants such words ("write that I can't provide the report") may get them.
    """
    answer = text.strip()
    refusal = _REFUSAL.match(answer[:_SEARCHED])
    if refusal is None or _WANTED.search(request[:_SEARCHED]) is not None:
        return None
    sentences = list(filter(None, _SENTENCE.split(answer, _LONGEST)))
    return sentences[0] if len(sentences) <= _LONGEST else None
