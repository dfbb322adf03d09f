"""Marks: annotations of steps beside their status, and the trust in a run's answer (core 17, core 19). Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

from aeon.base.talk import DECLINE_PREFIX
from aeon.llm.instructions import NO_ACCESS
from aeon.observability.records import SupervisorAction
from aeon.supervisor.answer_checks import doubts_of
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.refusals import find_refusal

MODEL_KNOWLEDGE_MARK = "from the model: no tool's result stands behind these words"
"""The mark of a step that the model answered from its own knowledge; the run stays trusted (core 19)."""

_UNTRUSTED = ("fallback", "doubtful", "declined")
_MAX_REASON = 120
_DECLINED = re.compile(
    rf"(?:{re.escape(DECLINE_PREFIX)}|can['\u2019]t:)(?P<missing>.*)|(?={re.escape(NO_ACCESS)}\.?$)",
    re.IGNORECASE | re.DOTALL,
)
"""A decline as the instructions ask for it, also without or with another prefix."""


def is_trusted(marks: Mapping[str, Sequence[str]]) -> bool:
    """Whether no step fell back, was declined or has a doubtful answer."""
    return not untrusted_marks(marks)


def untrusted_marks(marks: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The marks that make a result untrusted, each with its step's id."""
    return [(step_id, mark) for step_id, listed in marks.items() for mark in listed if mark.startswith(_UNTRUSTED)]


def fallback_mark(tool: str | None) -> str:
    """The mark of a step for which no tool was found."""
    missing = f"there is no tool {tool!r}" if tool else "no tool was named, and none was found"
    return f"fallback: {missing}; no tool did anything, and the words are the model's own"


def is_fallback(marks: Iterable[str]) -> bool:
    """Whether the model answered a step with these marks in place of a tool."""
    return any(mark.startswith("fallback") for mark in marks)


def is_declined(marks: Iterable[str]) -> bool:
    """Whether the model declined a step with these marks."""
    return any(mark.startswith("declined") for mark in marks)


def cut_marks(left_out: int) -> list[str]:
    """The mark of an answer from material of which the model did not see `left_out` characters."""
    return [f"doubtful: the model did not see {left_out:,} characters of its material"] if left_out else []


def repair_marks(actions: Iterable[SupervisorAction]) -> list[str]:
    """The marks of successful repairs, except the search for a tool, which has a separate mark with both names."""
    kinds = [action.action_type for action in actions if action.error is None]
    return [f"repaired: {kind}" for kind in kinds if kind != "missing_tool_repair"]


def declined_mark(text: str, request: str) -> str | None:
    """The mark of a reply that declines a request, in the form of the instructions or in its own; else None."""
    declined = _DECLINED.match(text.strip())
    if declined is None:
        refusal = find_refusal(text, request)
        return refusal and f"declined: {_cut(refusal)}"
    missing = " ".join((declined["missing"] or "").split()) or "the model does not say what is missing"
    return f"declined: {_cut(missing)}"


def doubt_marks(run: AnsweredRun) -> list[str]:
    """The marks of a run's answer, one for each reason to doubt it."""
    return [f"doubtful: {reason}" for reason in doubts_of(run)]


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_REASON else f"{text[: _MAX_REASON - 3]}..."
