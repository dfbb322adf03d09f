"""Whether an answer only says the request again, whole or nearly. Pure."""

from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.supervisor.answered_run import words_of

_CLAUSE: Final = LazyPattern(r"[,;.!]\s+(?=\w)")
_SENTENCE: Final = LazyPattern(r"[.!?]\s+(?=\w)")
_FEWEST_OF_SENTENCE: Final = 5
_CHOICE: Final = frozenset({"or", "oder", "ou"})
_FEWEST: Final = 3
"""Words of an answer that is an echo of a part: fewer may be what was asked for."""


def is_echo(request: str, answer: str) -> bool:
    """Whether an answer has the words of its request and no others."""
    asked = words_of(request)
    return bool(asked) and words_of(answer) in (asked, ["request", *asked])


def is_partial_echo(request: str, answer: str) -> bool:
    """Whether the model says an order again with a word less or another one, or the first sentence or last clause.

    "Send me a message." for "Send my mother a message"; "Turn the heating on" for "I'm cold, turn the heating on". What
    follows a colon may be what somebody asks for, and so may a part of a question or of a choice.
    """
    asked, answered = words_of(request), words_of(answer)
    if len(answered) >= _FEWEST_OF_SENTENCE and words_of(_SENTENCE.split(request, 1)[0]) == answered:
        return True
    if len(answered) < _FEWEST or _CHOICE.intersection(asked):
        return False
    is_of_clause = ":" not in request and "?" not in request and _last_clause(request) == answered
    return is_of_clause or _differs_by_a_word(asked, answered)


def _last_clause(request: str) -> list[str]:
    *earlier, last = _CLAUSE.split(request)
    return words_of(last) if earlier else []


def _differs_by_a_word(asked: list[str], answered: list[str]) -> bool:
    """Whether the words begin and end in the same way, with at most one other word between, and none more."""
    has_same_ends = (asked[0], asked[-1]) == (answered[0], answered[-1])
    added = len(set(answered) - set(asked))
    return has_same_ends and len(asked) - 2 <= len(answered) <= len(asked) and added <= 1
