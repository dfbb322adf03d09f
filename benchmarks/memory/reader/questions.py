"""The questions with short answers, and which of them a seed asks. Pure."""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from datasets import Case

MAX_WORDS = 5
"""The most words of a short answer."""


class ShortQuestion(NamedTuple):
    """A question about a case whose answer has at most `MAX_WORDS` words. `kind` is LoCoMo's category."""

    id: str
    case: str
    kind: str
    text: str
    answer: str


def short_questions(cases: Iterable[Case]) -> list[ShortQuestion]:
    """Return the questions of cases that have a short answer, case by case."""
    return [
        ShortQuestion(f"{case.name}/{number}", case.name, question.kind, question.text, question.answer)
        for case in cases
        for number, question in enumerate(case.questions, 1)
        if 1 <= len(question.answer.split()) <= MAX_WORDS
    ]


def sample(questions: Sequence[ShortQuestion], number: int, seed: int) -> list[ShortQuestion]:
    """Return so many of the questions, chosen by a seed, in their own order.

    A larger number with the same seed keeps those of a smaller one.
    """
    places = list(range(len(questions)))
    random.Random(seed).shuffle(places)
    return [questions[place] for place in sorted(places[:number])]
