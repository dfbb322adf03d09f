"""Scoring of answers against what is expected: pure, the same for every system."""

from dataclasses import dataclass, field
from enum import StrEnum

from expectations import is_met
from questions import Question
from texts import declines, refuses


class Verdict(StrEnum):
    """How an answer is judged. A wrong answer is marked if its user is told that it may be wrong, or gets none."""

    RIGHT = "right"
    WRONG_MARKED = "wrong, marked"
    WRONG_UNMARKED = "wrong, unmarked"


@dataclass(slots=True)
class Answer:
    """What a system made of a request. The times are in seconds from the question; None if there was no such moment."""

    text: str | None
    failure: str | None = None
    """Why there is no answer: the run failed, crashed or took too long."""
    marks: list[str] = field(default_factory=list[str])
    """What the system says against its own answer."""
    is_declined: bool = False
    """Whether the system says, beside its answer, that it declined."""
    seconds: float = 0.0
    first_output: float | None = None
    plan: float | None = None
    tools: list[str] = field(default_factory=list[str])


def judge(question: Question, answer: Answer) -> Verdict:
    """The verdict on an answer."""
    if is_right(question, answer):
        return Verdict.RIGHT
    is_marked = answer.failure is not None or bool(answer.marks) or answer.is_declined
    return Verdict.WRONG_MARKED if is_marked or declines(answer.text or "") else Verdict.WRONG_UNMARKED


def is_right(question: Question, answer: Answer) -> bool:
    """Whether an answer was given and is the expected one; a decline is right only where one is expected."""
    text = answer.text or ""
    if answer.failure is not None:
        return False
    if not question.expects_decline:
        is_refused = answer.is_declined or refuses(text)
        return not is_refused and is_met(question.expect, text, question.request, question.file_text)
    beside = {name: wanted for name, wanted in question.expect.items() if name != "declined"}
    is_declined = answer.is_declined or declines(text)
    return is_declined and (not beside or is_met(beside, text, question.request, question.file_text))
