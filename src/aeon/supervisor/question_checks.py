"""Checks of a computed answer against what the request asks: each of two questions, each of several days. Pure."""

import re
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.observability.records import ToolCall
from aeon.supervisor.answered_run import COMPUTING_TOOLS, AnsweredRun
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.found_moments import find_moments
from aeon.tools.worked_dates import DATE_TOOL

_SEARCHED: Final = 2000
"""Characters of a request in which words are looked for."""
_ASKING: Final = (
    "how|what|when|where|who|why|wie|wann|was|welche\\w*|wer|wo|warum|combien|quand|quel\\w*|cuánt\\w*|cuándo|qué"
    "|which(?= (?:day|date|time|one|year|month|week)s?\\b)"
)
"""Words that begin a question; "which" only before what it asks for, since it begins other clauses too."""
_BEFORE: Final = r"(?:(?:in|at|on|by|until|to|from|for|an|um|bis|ab|zu|von|mit|à|en|a) )?"
_TWO_QUESTIONS: Final = LazyPattern(
    rf"\b(?:{_ASKING})\b[^?]*?(?:,? (?:and|und|et|y),? |\? (?:and |und )?)(?P<second>{_BEFORE}(?:{_ASKING})\b[^?]*)\?",
    re.IGNORECASE,
)
_OF_A_MOMENT: Final = LazyPattern(
    r"(?:in|at|on|an|um)? ?(?:when|wann|(?:what|which) (?:exact )?(?:time|day|date|weekday|year|month)|wie ?viel uhr"
    r"|welche\w* (?:tag|datum|wochentag|uhrzeit))\b",
    re.IGNORECASE,
)
"""A question that one moment answers, whether it asks for the day or for the time."""

_WEEKDAY: Final = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|mon?|tue?|wed"
    r"|thu?r?s?|fri?|sat?|sun?|di|mi|do|so)"
)
_SEVERAL_DAYS: Final = LazyPattern(
    rf"\b{_WEEKDAY} ?(?:to|till|until|through|bis|[-\u2013]) ?{_WEEKDAY}\b"
    r"|\b(?:weekdays|every (?:week|working )?day|each day)\b"
    r"|\b(?:\d|two|three|four|five|six|seven|zwei|drei|vier|fünf|sechs|sieben) (?:days|tagen?)\b"
    r"|\b(?:jeden (?:werk)?tag|werktags|wochentags|täglich|daily)\b",
    re.IGNORECASE,
)
_IN_ALL: Final = LazyPattern(
    r"\b(?:a|per|each|every|in a|in one|the whole) (?:week|month|year)\b|\bweekly\b|\b(?:pro|in der|die|jede) woche\b"
    r"|\b(?:in total|altogether|in all|insgesamt|zusammen)\b",
    re.IGNORECASE,
)
"""Asks for the time of all days together."""


def question_doubts(run: AnsweredRun) -> list[str]:
    """The reasons to doubt a value that tools computed and that no model put into words."""
    is_computed = run.is_planned and run.steps[-1].tool in COMPUTING_TOOLS
    return [*_one_of_two(run), *_days_not_multiplied(run)] if is_computed else []


def _one_of_two(run: AnsweredRun) -> list[str]:
    """The reason against one value as the answer of two questions: "How long do I wait, and when do I arrive?"."""
    text = run.request[:_SEARCHED]
    found = _TWO_QUESTIONS.search(text[: text.rfind("?") + 1])
    if found is None:
        return []
    first = text[found.start() : found.start("second")]
    is_moment = all(_OF_A_MOMENT.match(question) for question in (first, found["second"]))
    return [] if is_moment else ["the request asks two things, and the answer is one value"]


def _days_not_multiplied(run: AnsweredRun) -> list[str]:
    """The reason against the time of one day in place of several: "Monday to Thursday from 8:15 to 16:45"."""
    text = run.request[:_SEARCHED]
    times = [moment for moment in find_moments(text) if moment.day is None]
    is_counted = bool(times) and _SEVERAL_DAYS.search(text) is not None and _IN_ALL.search(text) is not None
    if not is_counted or any(map(_multiplies, run.calls)):
        return []
    return ["the request is about several days, and nothing was multiplied"]


def _multiplies(call: ToolCall) -> bool:
    """Whether a call multiplies, or adds the same duration more than once."""
    leaves = [leaf for leaf in iterate_leaves(call.arguments) if isinstance(leaf, str)]
    return len(set(leaves)) < len(leaves) if call.tool_name == DATE_TOOL else any("*" in leaf for leaf in leaves)
