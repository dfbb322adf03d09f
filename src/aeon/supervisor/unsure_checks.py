"""Checks of an answer for names and numbers of which the model itself was not sure. Pure.

A model that does not know a fact still writes one. The probability of its first token is low then: a small model gave
"The Hay Wain was painted by Claude Monet" 19 % at "Claude". In a text that it composes every other word is improbable,
and right; so only short answers to questions of fact are judged.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.base.talk import is_talk
from aeon.base.writing import asks_for_code, asks_for_text, is_translation
from aeon.llm.interface import UnsureToken, read_unsure
from aeon.supervisor.answered_run import AnsweredRun, words_of

MAX_PROBABILITY: Final = 0.4
"""A name or a number that the model gave less is doubted (decision 93)."""

_MAX_REQUEST: Final = 300
_MAX_ANSWER: Final = 300
"""Characters of a request and of an answer that are still a question of fact and its answer."""

_OF_FACT: Final = LazyPattern(
    r"(?:^|[.!?:]\s+)\W*(?:(?:hey|hi|hello|please|so|ok|okay|and|hallo|bitte|und|salut|et|hola|y)\W+)?"
    r"(?:(?:can you |please )?tell me,? |do you know |sag mir,? |weißt du,? |sais-tu |dis-moi |sabes |dime )?(?:"
    r"who|whose|whom|which|where|when|(?:in|at|on|to|by|for|from|of) (?:what|which|whom)"
    r"|what(?:['\u2019]?s)?(?! (?:should|could|would|can|do you|to|about|if|a good|are (?:some|good)))"
    r"|how (?:many|much|old|tall|high|long|far|deep|wide|big|large|small|fast|heavy|hot|cold|loud|often)"
    r"(?! (?:should|do i|can i|must i))"
    r"|wer|wen|wem|wessen|welche[rsmn]?|wo|woher|wohin|wann|(?:in|an|auf|aus|zu|von|bei|mit) (?:welche[rsmn]?|wem)"
    r"|was (?:ist|sind|war|waren|heißt)(?! eine?\b)"
    r"|wie (?:heiß\w+|lautet|viele?|alt|hoch|lang|weit|tief|groß|schnell|schwer|warm)"
    r"|qui|quel\w*|où|quand|combien|(?:en|dans|à|de|sur|par) (?:quel\w*|qui)"
    r"|qui[eé]n\w*|cu[aá]l\w*|cu[aá]ndo|cu[aá]nt[oa]s?|d[oó]nde|(?:en|a|de|por|sobre) (?:qu[eé]|qui[eé]n|cu[aá]l))\b"
    r"|^(?:the )?(?:capital|author|inventor|founder|director|currency|population|height|length|year|hauptstadt)\b",
    re.IGNORECASE,
)
"""A question that a name, a place, a date or a number answers, in English, German, French and Spanish."""

_OPEN: Final = LazyPattern(
    r"\b(?:should|shall|best|better|good|nice|favou?rite|prefer|recommend|suggest|difference|example|examples|tips?|ideas?"
    r"|soll\w*|beste\w*|gut\w*|unterschied|beispiel\w*|tipps?|ideen?|meilleur\w*|diff[eé]rence|exemple\w*|conseils?"
    r"|mejor\w*|diferencia|ejemplos?|consejos?)\b",
    re.IGNORECASE,
)
"""Words of a question to which many answers are right."""

_SENTENCE: Final = LazyPattern(r"(?:[^.!?\n]|[.!?](?!\s|$)|(?<=\b\w)\.|(?<=\b(?:St|Dr|Mr|Jr))\.|(?<=\d)\.)+")
_WORD: Final = LazyPattern(r"[^\W_](?:[\w'\u2019-]|[.,:](?=\d))*")


def unsure_doubts(run: AnsweredRun) -> list[str]:
    """The reason to doubt an answer of the model alone whose name or number it gave less than `MAX_PROBABILITY`."""
    tokens = read_unsure(run.reply or {})
    text: str = run.reply["text"] if run.reply and tokens else ""
    if not tokens or not run.is_of_model or len(text) > _MAX_ANSWER or not _asks_for_fact(run.request):
        return []
    unsure = min(_unsure_words(text, tokens, {*words_of(run.request)}), key=lambda each: each[1], default=None)
    return [f'the model was not sure of "{unsure[0]}" ({max(1, round(unsure[1] * 100))} %)'] if unsure else []


def _asks_for_fact(request: str) -> bool:
    if len(request) > _MAX_REQUEST:
        return False
    is_other = asks_for_text(request) or asks_for_code(request) or is_translation(request) or is_talk(request)
    return not is_other and _OF_FACT.search(request) is not None and _OPEN.search(request) is None


def _unsure_words(text: str, tokens: Sequence[UnsureToken], known: set[str]) -> Iterator[tuple[str, float]]:
    """The doubted names and numbers of the first sentence, each with the least probability of its tokens.

    How the model begins a text says nothing: "22" competes with "The port is 22".
    """
    tokens = [token for token in tokens if token.at > 0]
    sentence = _SENTENCE.search(text)
    for word in _WORD.finditer(text, sentence.start(), sentence.end()) if sentence else ():
        is_name = word[0][0].isupper() or word[0][0].isdigit()
        odds = [token.probability for token in tokens if word.start() <= _begin(token) < word.end()]
        if is_name and word[0].casefold() not in known and min(odds, default=1) < MAX_PROBABILITY:
            yield word[0], min(odds)


def _begin(token: UnsureToken) -> int:
    """Where a token's first letter is: a token has the blank before it."""
    return token.at + len(token.text) - len(token.text.lstrip())
