"""Checks of the dates and clock times of a computation: where they come from, and that none is left out. Pure."""

import re
from collections.abc import Iterable
from datetime import datetime

from aeon.base.lazy_pattern import LazyPattern
from aeon.observability.records import ToolCall
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.repair_context import iterate_leaves
from aeon.tools.date_requests import names_the_present
from aeon.tools.found_moments import NamedMoment, find_moments
from aeon.tools.places import find_zone
from aeon.tools.time_zone_requests import CONVERT_TIME
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
_ASKS_CLOCK = LazyPattern(
    r"\b(?:what (?:(?:day|date) and )?time|when|clocks?|local time|how long"
    r"|wann|wie spät|wie lange|wie ?viel uhr|uhr|ortszeit)\b",
    re.IGNORECASE,
)
_NAME = LazyPattern(r"[A-ZÄÖÜ][\w-]+(?: [A-ZÄÖÜ][\w-]+)*")
_SOME_DAY = datetime(2026, 1, 15)  # noqa: DTZ001  # gets the zone of each place
_HOW_MUCH = LazyPattern(r"\b(?:how (?:much|many)|wie ?viele?)\b", re.IGNORECASE)
_ASKS_LENGTH = LazyPattern(
    r"\b(?:how (?:long|old|much (?:\w+ ){0,2}time)|wie (?:lange|alt|viel (?:\w+ ){0,2}zeit))\b"
    r"|\b(?:how (?:many|much)|wie ?viele?)(?: \w+){0,2}? "
    r"(?:(?:second|minute|hour|day|week|month|year)s?|(?:sekunde|minute|stunde|tage?|woche|monate?|jahre?)n?)\b",
    re.IGNORECASE,
)


def moment_doubts(run: AnsweredRun) -> list[str]:
    """The reasons to doubt what was computed with dates and times that are not those of the request."""
    calls = [call for call in run.calls if call.tool_name == DATE_TOOL]
    if not run.is_planned:
        return []
    if not calls:
        return [*_without_date_tool(run), *_zones_left_out(run)]
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
        *_less_than_nothing(run),
        *_zones_left_out(run),
    ]


def _without_date_tool(run: AnsweredRun) -> list[str]:
    """The reason against a length of time that was calculated as a number, where the request has dates or times."""
    is_calculated = bool(run.calls) and _ASKS_LENGTH.search(run.request[:_SEARCHED]) is not None
    moments = find_moments(run.request[:_SEARCHED]) if is_calculated else []
    return [f"{_listed(moments)}: the date tool was not used, and a number was calculated"] if moments else []


def _zones_left_out(run: AnsweredRun) -> list[str]:
    """The reason against a time computed between places whose clocks differ, if none of the calls converts it."""
    text = run.request[:_SEARCHED]
    is_computed = bool(run.calls) and all(call.tool_name != CONVERT_TIME for call in run.calls)
    if not is_computed or _ASKS_CLOCK.search(text) is None or not find_moments(text):
        return []
    zones = {name: zone for name in _NAME.findall(text) if (zone := find_zone(name)) is not None}
    offsets = {_SOME_DAY.replace(tzinfo=zone).utcoffset() for zone in zones.values()}
    listed = ", ".join(zones)
    return [f"{listed} have different clocks, and no time was converted"] if len(offsets) > 1 else []


def _less_than_nothing(run: AnsweredRun) -> list[str]:
    """The reason against a length of time below nothing."""
    is_asked = _ASKS_LENGTH.search(run.request[:_SEARCHED]) or _HOW_MUCH.search(run.request[:_SEARCHED])
    leaves = iterate_leaves([*run.results.values()][-1:])
    is_negative = any(isinstance(leaf, int | float) and leaf < 0 for leaf in leaves)
    return ["the request asks how much, and the result is less than nothing"] if is_asked and is_negative else []


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
