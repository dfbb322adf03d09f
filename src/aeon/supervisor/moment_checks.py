"""Checks of the dates and clock times of a computation: where they come from, and that none is left out. Pure."""

import re
from collections.abc import Iterable

from aeon.base.lazy_pattern import LazyPattern
from aeon.observability.records import ToolCall
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.date_requests import names_the_present
from aeon.tools.found_moments import NamedMoment, find_moments
from aeon.tools.worked_dates import DATE_TOOL

_SHOWN = 5
_SEARCHED = 2000
"""Characters of a request in which words are looked for."""
_MUST_START = LazyPattern(
    r"\b(?:when|what time|wann|um wie ?viel uhr)\b[^.!?]*\b(?:must|have to|should|need to|muss|müssen|soll\w*)\b[^.!?]*"
    r"\b(?:leave|go|start|begin|set (?:off|out)|get up|los\w*|gehen|aufbrechen|aufstehen|anfangen|beginnen)\b",
    re.IGNORECASE,
)
_INCLUSIVE = LazyPattern(r"\b(?:inclusive|included|including|einschließlich|inklusive|eingeschlossen)\b", re.IGNORECASE)


def moment_doubts(run: AnsweredRun) -> list[str]:
    """The reasons to doubt what was computed with dates and times that are not those of the request."""
    calls = [call for call in run.calls if call.tool_name == DATE_TOOL]
    if not run.is_planned or not calls:
        return []
    asked = _moments([run.request])
    used = _moments(_texts(calls))
    known = [*asked, *_moments([*run.earlier, *map(str, iterate_leaves([*run.results.values()]))])]
    invented = [] if names_the_present(run.request) else [each for each in used if not _has(known, each)]
    unused = [each for each in asked if not _has(used, each)]
    return [
        *(
            [f"it was computed with {_listed(invented)}, which neither the request nor a result has"]
            if invented
            else []
        ),
        *([f"no step uses {_listed(unused)} of the request"] if unused else []),
        *_last_day_left_out(run),
        *_too_late_to_start(run),
    ]


def _too_late_to_start(run: AnsweredRun) -> list[str]:
    """The reason against a time after the one that the request names, if it asks when one must start to be in time."""
    last = run.calls[-1]
    added = str(last.arguments.get("add", "-"))
    is_later = last.tool_name == DATE_TOOL and not added.startswith("-") and not added.endswith("ago")
    is_asked = is_later and _MUST_START.search(run.request[:_SEARCHED]) is not None
    return ["the request asks when to start, and the result is later than what it names"] if is_asked else []


def _last_day_left_out(run: AnsweredRun) -> list[str]:
    """The reason against a count of days to a last one that the request includes: the date tool does not count it."""
    last = run.calls[-1]
    is_count = last.tool_name == DATE_TOOL and "until" in last.arguments and _INCLUSIVE.search(run.request[:_SEARCHED])
    return ["the request includes the last day, and the count does not"] if is_count else []


def _texts(calls: Iterable[ToolCall]) -> list[str]:
    """The dates and times that calls were given."""
    return [str(call.arguments[name]) for call in calls for name in ("start", "until") if name in call.arguments]


def _moments(texts: Iterable[str]) -> list[NamedMoment]:
    return [moment for text in texts for moment in find_moments(text)]


def _has(moments: Iterable[NamedMoment], one: NamedMoment) -> bool:
    return any(each.is_like(one) for each in moments)


def _listed(moments: Iterable[NamedMoment]) -> str:
    return ", ".join(list(dict.fromkeys(each.text for each in moments))[:_SHOWN])
