"""Ranks passages for a question by words, meaning, time and speaker. Pure.

The weights were chosen on one half of the benchmark's data sets, see `benchmarks/memory`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.passages import IndexedPassage
from aeon.platform.knowledge.time_words import Period, asks_for_time, find_periods

CANDIDATES: Final = 150
"""How many passages by words, and as many vectors by meaning, are ranked."""

_FACTORED: Final = 2
"""Among how many times more passages the best are chosen by words, time and speaker."""

LEAST_COSINE: Final = 0.2
"""A passage without a word of the question is found from this cosine on."""

_MEANING: Final = 0.5
"""The weight of the cosine; the score by words is 1 at most."""

_LENGTH: Final = 0.03
"""The weight of the logarithm of a passage's words: a longer one says more."""

_TELLS_TIME: Final = 0.1
"""What a passage that tells a time gets if the question asks for one."""

_QUESTION_FACTOR: Final = 0.9
"""Questions state nothing."""

_AGENT_FACTOR: Final = 0.5
"""An answer counts less than a user's message, unless the question asks for it."""

_MAX_TEXT: Final = 10_000
"""The number of characters of a question that are read."""

_TIME_FACTOR: Final = 1.5
"""For a passage that was written on the days that the question names, or that names them."""


_SAY: Final = "say|suggest|recommend|tell|explain|mention|advise|propose"
_SAID: Final = "said|suggested|recommended|told|explained|mentioned|advised|proposed"
_BY_YOU: Final = LazyPattern(
    rf"\b(?:did you (?:\w+ )?(?:{_SAY})|you (?:had |have )?(?:{_SAID})|(?:had|have) you (?:{_SAID})"
    r"|your (?:answer|advice|suggestion|recommendation|explanation|proposal)s?"
    r"|(?:hast|hattest) du|du hast|dein(?:e|en|er)? (?:antwort|rat|vorschlag)"
    r"|as-tu|avez-vous|tu m'as|vous m'avez|(?:ta|votre) (?:réponse|suggestion|recommandation))\b",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """What a question asks for: the days that it names, a time, and answers of the model."""

    days: Sequence[Period]
    asks_for_time: bool
    asks_for_answers: bool

    @classmethod
    def of(cls, text: str, today: date) -> "Question":
        """Return what a text asks, seen from a day."""
        return cls(find_periods(text, today), asks_for_time(text), _BY_YOU.search(text[:_MAX_TEXT]) is not None)


def best_by_words(scores: Mapping[int, float], passages: Mapping[int, IndexedPassage], question: Question) -> list[int]:
    """Return the numbers of the passages that are the best candidates for their words."""
    best = sorted(scores, key=scores.__getitem__, reverse=True)[: _FACTORED * CANDIDATES]
    best.sort(key=lambda number: -scores[number] * _factor(passages[number], question))
    return best[:CANDIDATES]


def rank_passages(
    candidates: Iterable[int],
    passages: Mapping[int, IndexedPassage],
    words: Mapping[int, float],
    cosines: Mapping[str, float],
    question: Question,
) -> list[tuple[float, int]]:
    """Return the scores of candidates with their numbers, best first; of each message, its best passage.

    `cosines` are those of messages. A message without one gets the mean, so that what has no vector yet competes by its
    words.
    """
    usual = sum(cosines.values()) / len(cosines) if cosines else 0.0
    best: dict[str, tuple[float, int]] = {}
    for number in candidates:
        passage = passages[number]
        score = words.get(number, 0.0) + _MEANING * cosines.get(passage.message, usual) + _LENGTH * passage.weight
        if question.asks_for_time and passage.tells_time:
            score += _TELLS_TIME
        score *= _factor(passage, question)
        if passage.message not in best or score > best[passage.message][0]:
            best[passage.message] = (score, number)
    return sorted(best.values(), key=lambda each: (-each[0], -each[1]))


def _factor(passage: IndexedPassage, question: Question) -> float:
    factor = 1.0
    if passage.is_question:
        factor *= _QUESTION_FACTOR
    if passage.speaker == "agent" and not question.asks_for_answers:
        factor *= _AGENT_FACTOR
    if question.days and _is_of(passage, question.days):
        factor *= _TIME_FACTOR
    return factor


def _is_of(passage: IndexedPassage, days: Sequence[Period]) -> bool:
    """Whether a passage was written on one of these days, or names one."""
    own = (passage.said, *passage.days)
    return any(period.overlaps(other) for period in days for other in own)
