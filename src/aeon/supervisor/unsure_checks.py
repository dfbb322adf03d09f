"""Checks of an answer for names, numbers, and a yes or no of which the model itself was not sure. Pure.

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
"""What the model gave less is doubted (decision 93)."""

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
    r"|^(?:the )?(?:\w+ ){0,2}(?:capital|author|inventor|founder|director|composer|currency|population|height|length"
    r"|year|number|symbol|name|date|age|weight|speed|distance|hauptstadt|autor|erfinder|höhe|länge|jahr) "
    r"(?:of|von|de|du|des|der)\b",
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

_YES_OR_NO: Final = frozenset(["yes", "no", "ja", "nein", "oui", "non", "sí", "si"])

_SENTENCE: Final = LazyPattern(r"(?:[^.!?\n]|[.!?](?!\s|$)|(?<=\b\w)\.|(?<=\b(?:St|Dr|Mr|Jr))\.|(?<=\d)\.)+")
_WORD: Final = LazyPattern(r"[^\W_](?:[\w'\u2019-]|[.,:](?=\d))*")


def unsure_doubts(run: AnsweredRun) -> list[str]:
    """The reason to doubt an answer of the model alone, of a word of which it gave less than `MAX_PROBABILITY`."""
    tokens = read_unsure(run.reply or {})
    text: str = run.reply["text"] if run.reply and tokens else ""
    if not tokens or not run.is_of_model or len(text) > _MAX_ANSWER or not _has_one_answer(run.request):
        return []
    if _OF_FACT.search(run.request) is not None:
        # How the model begins a text says nothing of a name: "22" competes with "The port is 22".
        tokens = [token for token in tokens if token.at > 0]
        words = _names_and_numbers(text, {*words_of(run.request)})
    else:
        words = _yes_or_no(text)
    probability, word = min(((_probability(word, tokens), word[0]) for word in words), default=(1.0, ""))
    is_doubted = probability < MAX_PROBABILITY
    return [f'the model was not sure of "{word}" ({max(1, round(probability * 100))} %)'] if is_doubted else []


def _has_one_answer(request: str) -> bool:
    """Whether not many answers to a request are right: it wants no text, no idea and no advice."""
    if len(request) > _MAX_REQUEST or _OPEN.search(request) is not None:
        return False
    return not (asks_for_text(request) or asks_for_code(request) or is_translation(request) or is_talk(request))


def _names_and_numbers(text: str, known: set[str]) -> Iterator[re.Match[str]]:
    """The names and numbers of the first sentence that the request does not have."""
    sentence = _SENTENCE.search(text)
    for word in _WORD.finditer(text, sentence.start(), sentence.end()) if sentence else ():
        is_name = word[0][0].isupper() or word[0][0].isdigit()
        if is_name and word[0].casefold() not in known:
            yield word


def _yes_or_no(text: str) -> Iterator[re.Match[str]]:
    """The first word of an answer, if it is yes or no."""
    word = _WORD.search(text)
    if word is not None and word[0].casefold() in _YES_OR_NO:
        yield word


def _probability(word: re.Match[str], tokens: Sequence[UnsureToken]) -> float:
    """The least probability of a word's unsure tokens; 1 if it has none."""
    return min((token.probability for token in tokens if word.start() <= _begin(token) < word.end()), default=1.0)


def _begin(token: UnsureToken) -> int:
    """Where a token's first letter is: a token has the blank before it."""
    return token.at + len(token.text) - len(token.text.lstrip())
