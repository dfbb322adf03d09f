"""The calculations with dates and times in a line of a solution: "I must leave at 9:00 - 45 minutes = 8:15." Pure."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from itertools import pairwise
from typing import NamedTuple

from aeon.tools.date_requests import compiled
from aeon.tools.found_moments import MOMENT
from aeon.tools.moments import Duration, Moment, read_duration, read_moment
from aeon.tools.worked_solutions import Calculation, calculations_of_line

_SIGN = r"(?:[-+\u2212\u2013]|\bplus\b|\bminus\b)"
_TERMS = rf"(?P<rest>(?:{_SIGN}\s*(?:\d\d?\s*\*\s*)?<lengths>\s*)+)$"
_SHIFTED = rf"(?P<first>{MOMENT})\s*{_TERMS}"
_SHIFTING = rf"(?P<rest><lengths>)\s*(?:\+|\bplus\b)\s*(?P<first>{MOMENT})$"
_SPAN = rf"(?P<first>{MOMENT})\s*(?P<to>until|till|to|bis|und|and|[-\u2212\u2013])\s*(?P<second>{MOMENT})\s*$"
_SUM = rf"(?P<first><lengths>)\s*{_TERMS}"
_PHRASES = (
    ("+", rf"\badd\w* (?P<amount><lengths>) (?:to|zu) (?P<first>{MOMENT})"),
    ("-", rf"\bsubtract\w* (?P<amount><lengths>) from (?P<first>{MOMENT})"),
    ("-", rf"(?P<amount><lengths>) (?:before|vor) (?P<first>{MOMENT})"),
    ("+", rf"(?P<amount><lengths>) (?:after|from|nach) (?P<first>{MOMENT})"),
)
"""A calculation in words, and the sign of its duration."""
_STATED = rf"\s*(?:{MOMENT}|<lengths>|[^\W\d_]+|-?\d[\d.,]*)"
_NO_NUMBER = r"\d:\d\d|<day>|<length>(?:\s|,|and\b|und\b)*<length>"
"""What no number of a calculation is taken from: a clock time, a date, and a length of two units."""
_IN_BRACKETS = rf"({_SIGN})\s*\(([^()]*)\)"
_MINUS = "-\u2212\u2013"
_ANY_DAY = datetime(2000, 1, 3)  # noqa: DTZ001  # without a zone, as all moments here; days are only compared


class DateCall(NamedTuple):
    """A call of the date tool in the model's own texts: a moment and lengths, two moments, or lengths alone."""

    start: str = ""
    until: str = ""
    lengths: Sequence[str] = ()
    """Each with its sign: "-45 minutes"."""

    @property
    def is_length(self) -> bool:
        """Whether the result is a length of time."""
        return not self.start or bool(self.until)

    @property
    def counts_days(self) -> bool:
        """Whether the result is a number of days."""
        ends = (moment_in(self.start), moment_in(self.until))
        return bool(self.until) and not any(isinstance(each, time | datetime) for each in ends)


class SolutionLine(NamedTuple):
    """A calculation of a line: what computes it, and the result that the model states."""

    text: str
    call: DateCall | Calculation
    stated: str

    @property
    def is_length(self) -> bool:
        """Whether the date tool computes a length of time."""
        return isinstance(self.call, DateCall) and self.call.is_length


def dated_calculations(line: str, request: str, lengths: Sequence[str]) -> list[SolutionLine]:
    """The calculations of a line, each in front of an equals sign. `lengths`: those that earlier lines state."""
    found: list[SolutionLine] = []
    for side, following in pairwise(line.split("=")):
        stated = compiled(_STATED).match(following)
        plain = compiled(_IN_BRACKETS).sub(_opened, side).strip(" .,:(")
        call = None if stated is None else _date_call(plain, request, lengths)
        if stated is not None and call is not None:
            found.append(SolutionLine(line, call, stated[0].strip()))
        elif compiled(_NO_NUMBER).search(side) is None:
            found += [SolutionLine(line, each, each.result) for each in calculations_of_line(f"{side}={following}")]
    return found or _in_words(line)


def _opened(bracket: re.Match[str]) -> str:
    """What a bracket adds or takes off, without it: "- (2 hours + 5 minutes)" is "- 2 hours - 5 minutes"."""
    is_taken = bracket[1].casefold() in (*_MINUS, "minus")
    return f"{bracket[1]} {re.sub('[-+]', lambda sign: '+-'[sign[0] == '+'], bracket[2]) if is_taken else bracket[2]}"


def _in_words(line: str) -> list[SolutionLine]:
    """The calculation of a line that has it in words: "It leaves 12 minutes after 8:07, which is 8:19."."""
    for sign, pattern in _PHRASES:
        found = compiled(pattern).search(line)
        stated = [] if found is None else [each[0].strip() for each in compiled(MOMENT).finditer(line, found.end())]
        if found is None or not stated:
            continue
        call = _readable(DateCall(found["first"].strip(), lengths=[f"{sign}{found['amount'].strip()}"]))
        if call is not None:
            return [SolutionLine(line, call, stated[-1])]
    return []


def _date_call(side: str, request: str, lengths: Sequence[str]) -> DateCall | None:
    """The call for the calculation at the end of a text; None if there is none.

    "8:45" is a clock time, unless an earlier line states it as a length.
    """
    span = compiled(_SPAN).search(side)
    if span is not None and span["second"] not in lengths:
        call = DateCall(*_in_order(span["first"].strip(), span["second"].strip(), span["to"], request))
    elif (shifted := compiled(_SHIFTED).search(side)) is not None and shifted["first"] not in lengths:
        call = DateCall(shifted["first"].strip(), lengths=_signed(shifted["rest"]))
    elif (shifting := compiled(_SHIFTING).search(side)) is not None and shifting["first"] not in lengths:
        call = DateCall(shifting["first"].strip(), lengths=[f"+{shifting['rest'].strip()}"])
    elif (added := compiled(_SUM).search(side)) is not None:
        call = DateCall(lengths=[f"+{added['first'].strip()}", *_signed(added["rest"])])
    else:
        return None
    return _readable(call)


def _readable(call: DateCall) -> DateCall | None:
    """The call, if each of its texts is a date, a time or a duration."""
    are_moments = all(moment_in(each) is not None for each in (call.start, call.until) if each)
    return call if are_moments and all(length_in(each) is not None for each in call.lengths) else None


def _signed(rest: str) -> list[str]:
    """Durations, each with its sign, and as often as it is taken: "- 2 * 20 minutes" is "-20 minutes" twice."""
    plain = re.sub(r"\bplus\b", "+", re.sub(rf"\bminus\b|[{_MINUS}]", "-", rest.strip(), flags=re.IGNORECASE))
    terms = re.findall(r"([-+])\s*(?:(\d+)\s*\*\s*)?([^-+*]+)", plain)
    return [f"{sign}{length.strip()}" for sign, times, length in terms for _ in range(int(times or 1))]


def _in_order(first: str, second: str, joined_by: str, request: str) -> tuple[str, str]:
    """The beginning and the end of a span; joined by a minus, the beginning is what the request names first."""
    if joined_by not in _MINUS:
        return first, second
    begins, ends = (request.casefold().find(each.casefold()) for each in (first, second))
    is_turned = ends < begins if begins >= 0 and ends >= 0 else _is_later(first, second)
    return (second, first) if is_turned else (first, second)


def _is_later(first: str, second: str) -> bool:
    one, two = moment_in(first), moment_in(second)
    if isinstance(one, time) and isinstance(two, time):
        return one > two
    return isinstance(one, date) and isinstance(two, date) and one.isoformat() > two.isoformat()


def moment_in(text: str) -> Moment | None:
    """The moment that a text is; None if it is none. Those without a year are in the same one."""
    try:
        return read_moment(text, _ANY_DAY)
    except (ValueError, OverflowError):
        return None


def length_in(text: str) -> Duration | None:
    """The duration that a text is; None if it is none."""
    try:
        return read_duration(text)
    except ValueError:
        return None
