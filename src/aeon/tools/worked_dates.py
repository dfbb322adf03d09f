"""Solutions that a model writes in lines with dates and times: "I must leave at 9:00 - 45 minutes = 8:15." Pure.

The lines are read as steps of the date tool and of the calculator, as those of `worked_solutions` are.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from itertools import pairwise
from typing import NamedTuple

from aeon.base.json import JsonObject
from aeon.tools.date_requests import compiled, plain_text
from aeon.tools.found_moments import NamedMoment, find_moments
from aeon.tools.moments import Duration, Moment, read_duration, read_moment
from aeon.tools.worked_solutions import (
    CALCULATOR,
    MAX_SOLUTION,
    MAX_STEPS,
    Calculation,
    calculations_of_line,
    clean_solution,
    describe_line,
    function_to,
)

DATE_TOOL = "date_math"
"""The tool whose steps a solution with dates and times gives."""

DATE_INSTRUCTIONS = (
    "Solve the problem step by step. Each line says in words what it computes, then the calculation with its result: "
    "a time or date + or - a duration = a time or date, or a time or date until another = a duration, in plain text. "
    "Times are written as 17:45, dates as 3 May 2026, durations as 2 hours 15 minutes or 90 days. "
    "The last line is 'Answer: ' and the result alone.\n"
    "Problem: I must be at work at 9 am. The train takes 35 minutes and the walk 10 minutes. "
    "When must I leave at the latest?\n"
    "The way takes 35 minutes + 10 minutes = 45 minutes.\n"
    "I must leave at 9:00 - 45 minutes = 8:15.\n"
    "Answer: 8:15\n"
    "Problem: What was the date 90 days before 1 August 2026?\n"
    "It was 1 August 2026 - 90 days = 3 May 2026.\n"
    "Answer: 3 May 2026\n"
    "Problem: The shop is open from 9:30 to 18:15, with a break of 1 hour. How long is it open?\n"
    "It is open from 9:30 until 18:15 = 8 hours 45 minutes.\n"
    "Without the break, 8 hours 45 minutes - 1 hour = 7 hours 45 minutes.\n"
    "Answer: 7 hours 45 minutes\n"
    "Problem: Three talks of 25 minutes start at half past two. When do they end?\n"
    "The talks take 3 * 25 = 75 minutes.\n"
    "They end at 14:30 + 75 minutes = 15:45.\n"
    "Answer: 15:45"
)
"""Instructions for a model that works out a request with dates, times and durations."""

_MOMENT = r"(?:<day>(?:,? (?:at |um )?<clock>)?|<clock>)"
_SIGN = r"(?:[-+\u2212\u2013]|\bplus\b|\bminus\b)"
_TERMS = rf"(?P<rest>(?:{_SIGN}\s*(?:\d\d?\s*\*\s*)?<lengths>\s*)+)$"
_SHIFTED = rf"(?P<first>{_MOMENT})\s*{_TERMS}"
_SHIFTING = rf"(?P<rest><lengths>)\s*(?:\+|\bplus\b)\s*(?P<first>{_MOMENT})$"
_SPAN = rf"(?P<first>{_MOMENT})\s*(?P<to>until|till|to|bis|und|and|[-\u2212\u2013])\s*(?P<second>{_MOMENT})\s*$"
_SUM = rf"(?P<first><lengths>)\s*{_TERMS}"
_PHRASES = (
    ("+", rf"\badd\w* (?P<amount><lengths>) (?:to|zu) (?P<first>{_MOMENT})"),
    ("-", rf"\bsubtract\w* (?P<amount><lengths>) from (?P<first>{_MOMENT})"),
    ("-", rf"(?P<amount><lengths>) (?:before|vor) (?P<first>{_MOMENT})"),
    ("+", rf"(?P<amount><lengths>) (?:after|from|nach) (?P<first>{_MOMENT})"),
)
"""A calculation in words, and the sign of its duration."""
_STATED = rf"\s*(?:{_MOMENT}|<lengths>|[^\W\d_]+|-?\d[\d.,]*)"
_NO_NUMBER = r"\d:\d\d|<day>|<length>(?:\s|,|and\b|und\b)*<length>"
"""What no number of a calculation is taken from: a clock time, a date, and a length of two units."""
_IN_BRACKETS = rf"({_SIGN})\s*\(([^()]*)\)"
_MINUS = "-\u2212\u2013"
_ANSWER = r"(?m)^\W{0,20}(?:final )?(?:answer|antwort)\W*?[:=]\s*(.+)$"
_NUMERAL = r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])"
_ANY_DAY = datetime(2000, 1, 3)  # noqa: DTZ001  # without a zone, as all moments here; days are only compared
_DAY = 86_400

_DATED_QUESTION = (
    r"\b(?:when|what time|(?:which|what) (?:date|day|weekday|year|month)"
    r"|what(?:'s| is) the (?:last|first|end) (?:day|date)"
    r"|how (?:long|old|late)|(?:by )?how (?:many|much)|what (?:do|does|did|will) (?:i|we|it|he|she|they)"
    r"|wann|um wie ?viel|wie (?:lange|alt|spät)|wie ?viele?|was (?:kostet|kosten|zahle|schulde)"
    r"|(?:an )?welche[mrs]? (?:datum|tag|wochentag|jahr|monat))\b"
)
_SPOKEN = (
    r"\b(?:half|quarter|\w+ minutes) (?:past|to) \w+|\b(?:halb|viertel (?:nach|vor)|dreiviertel) \w+"
    r"|\b(?:noon|midnight|mittag|mitternacht)\b|\b\w+ o'clock\b|\b\d{1,2}[.]\d\d uhr\b"
)
_TO_BE_WRITTEN = (
    r"\b(?:writ\w*|poem|story|letters?|e?-?mails?|messages?|explain|why|list|sort\w*|translat\w*|summar\w*|rewrit\w*"
    r"|remember|save|store|note|remind\w*|tables?|files?|zone|local time|schreib\w*|gedicht|geschichte|brief"
    r"|nachricht|erklär\w*|warum|liste|sortier\w*|übersetz\w*|fasse|merk\w*|speicher\w*|erinner\w*|tabelle|datei"
    r"|ortszeit)\b"
)
"""Words of a request that takes more than a calculation."""

_LEAST_QUANTITIES = 2


class _DateCall(NamedTuple):
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
        ends = (_moment(self.start), _moment(self.until))
        return bool(self.until) and not any(isinstance(each, time | datetime) for each in ends)


class _Line(NamedTuple):
    """A calculation of a line: what computes it, and the result that the model states."""

    text: str
    call: _DateCall | Calculation
    stated: str

    @property
    def is_length(self) -> bool:
        """Whether the date tool computes a length of time."""
        return isinstance(self.call, _DateCall) and self.call.is_length


def asks_dated_solution(request: str) -> bool:
    """Whether a request asks what follows from two or more of its dates, times and durations, and nothing besides."""
    text = plain_text(request)
    if compiled(_TO_BE_WRITTEN).search(text) or compiled(_DATED_QUESTION).search(text) is None:
        return False
    rest, moments = compiled(f"{_MOMENT}|{_SPOKEN}").subn(" ; ", text)
    return moments > 0 and moments + len(compiled("<lengths>").findall(rest)) >= _LEAST_QUANTITIES


def read_dated_solution(text: str, request: str) -> list[JsonObject] | None:
    """The steps of a solution with dates and times; the last one gives the answer.

    What a model computed wrong is computed again: a result of an earlier line is taken from its step. None if no line
    has a calculation with dates or durations, if there are too many, or if the stated answer is the result of none.
    """
    if len(text) > MAX_SOLUTION:
        return None
    clean = clean_solution(text)
    lines: list[_Line] = []
    for line in clean.splitlines():
        lines += _calculations(" ".join(line.split()), request, [each.stated for each in lines if each.is_length])
    if not 0 < len(lines) <= MAX_STEPS or not any(isinstance(line.call, _DateCall) for line in lines):
        return None
    found = compiled(_ANSWER).search(clean)
    answer = lines[-1].stated if found is None else found[1].strip(" .")
    for last in reversed(range(len(lines))):
        if (function := _function_to(answer, lines[last])) is not None:
            return _steps(lines[: last + 1], function, find_moments(request))
    return None


def _calculations(line: str, request: str, lengths: Sequence[str]) -> list[_Line]:
    """The calculations of a line, each in front of an equals sign. `lengths`: those that earlier lines state."""
    found: list[_Line] = []
    for side, following in pairwise(line.split("=")):
        stated = compiled(_STATED).match(following)
        plain = compiled(_IN_BRACKETS).sub(_opened, side).strip(" .,:(")
        call = None if stated is None else _date_call(plain, request, lengths)
        if stated is not None and call is not None:
            found.append(_Line(line, call, stated[0].strip()))
        elif compiled(_NO_NUMBER).search(side) is None:
            found += [_Line(line, each, each.result) for each in calculations_of_line(f"{side}={following}")]
    return found or _in_words(line)


def _opened(bracket: re.Match[str]) -> str:
    """What a bracket adds or takes off, without it: "- (2 hours + 5 minutes)" is "- 2 hours - 5 minutes"."""
    is_taken = bracket[1].casefold() in (*_MINUS, "minus")
    return f"{bracket[1]} {re.sub('[-+]', lambda sign: '+-'[sign[0] == '+'], bracket[2]) if is_taken else bracket[2]}"


def _in_words(line: str) -> list[_Line]:
    """The calculation of a line that has it in words: "It leaves 12 minutes after 8:07, which is 8:19."."""
    for sign, pattern in _PHRASES:
        found = compiled(pattern).search(line)
        stated = [] if found is None else [each[0].strip() for each in compiled(_MOMENT).finditer(line, found.end())]
        if found is None or not stated:
            continue
        call = _readable(_DateCall(found["first"].strip(), lengths=[f"{sign}{found['amount'].strip()}"]))
        if call is not None:
            return [_Line(line, call, stated[-1])]
    return []


def _date_call(side: str, request: str, lengths: Sequence[str]) -> _DateCall | None:
    """The call for the calculation at the end of a text; None if there is none.

    "8:45" is a clock time, unless an earlier line states it as a length.
    """
    span = compiled(_SPAN).search(side)
    if span is not None and span["second"] not in lengths:
        call = _DateCall(*_in_order(span["first"].strip(), span["second"].strip(), span["to"], request))
    elif (shifted := compiled(_SHIFTED).search(side)) is not None and shifted["first"] not in lengths:
        call = _DateCall(shifted["first"].strip(), lengths=_signed(shifted["rest"]))
    elif (shifting := compiled(_SHIFTING).search(side)) is not None and shifting["first"] not in lengths:
        call = _DateCall(shifting["first"].strip(), lengths=[f"+{shifting['rest'].strip()}"])
    elif (added := compiled(_SUM).search(side)) is not None:
        call = _DateCall(lengths=[f"+{added['first'].strip()}", *_signed(added["rest"])])
    else:
        return None
    return _readable(call)


def _readable(call: _DateCall) -> _DateCall | None:
    """The call, if each of its texts is a date, a time or a duration."""
    are_moments = all(_moment(each) is not None for each in (call.start, call.until) if each)
    return call if are_moments and all(_length(each) is not None for each in call.lengths) else None


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
    one, two = _moment(first), _moment(second)
    if isinstance(one, time) and isinstance(two, time):
        return one > two
    return isinstance(one, date) and isinstance(two, date) and one.isoformat() > two.isoformat()


def _moment(text: str) -> Moment | None:
    try:
        return read_moment(text, _ANY_DAY)
    except (ValueError, OverflowError):
        return None


def _length(text: str) -> Duration | None:
    try:
        return read_duration(text)
    except ValueError:
        return None


def _function_to(answer: str, line: _Line) -> str | None:
    """The function that makes the answer of a line's result: none (""), or one that rounds; None if it is another."""
    if isinstance(line.call, Calculation):
        numeral = compiled(_NUMERAL).search(answer)
        return None if numeral is None else function_to(numeral[0], line.call)
    return "" if _is_same(answer, line.stated) else None


def _is_same(one: str, other: str) -> bool:
    """Whether two texts state the same moment or the same duration, or one begins with the other."""
    pairs = ((_moment(one), _moment(other)), (_length(one), _length(other)))
    if any(first is not None and first == second for first, second in pairs):
        return True
    return re.match(rf"{re.escape(other)}(?!\w)", one, re.IGNORECASE) is not None


def _steps(lines: Sequence[_Line], function: str, asked: Sequence[NamedMoment]) -> list[JsonObject]:
    steps: list[JsonObject] = []
    for number, line in enumerate(lines, 1):
        arguments = _arguments(line, lines[: number - 1], asked)
        if number == len(lines) and function:
            arguments = {"expression": f"{function}({arguments['expression']})"}
        steps.append(
            {
                "step_id": f"s{number}",
                "description": describe_line(line.text),
                "tool": CALCULATOR if isinstance(line.call, Calculation) else DATE_TOOL,
                "arguments": arguments,
            }
        )
    return steps


def _arguments(line: _Line, earlier: Sequence[_Line], asked: Sequence[NamedMoment]) -> JsonObject:
    """The arguments of a line's call, with the results of earlier lines taken from their steps."""
    call = line.call
    if isinstance(call, Calculation):
        return {"expression": compiled(_NUMERAL).sub(lambda found: _number(found[0], earlier), call.expression)}
    lengths = [_duration(each, earlier) for each in call.lengths]
    if not call.start:
        return {"durations": lengths}
    start = _start(call.start, earlier, asked)
    return (
        {"start": start, "until": _start(call.until, earlier, asked)}
        if call.until
        else {"add": " ".join(lengths), "start": start}
    )


def _start(text: str, earlier: Sequence[_Line], asked: Sequence[NamedMoment]) -> str:
    """A moment as the result of an earlier line, or as the request has it: with its year, and with its "pm"."""
    for number, line in reversed([*enumerate(earlier, 1)]):
        is_moment = isinstance(line.call, _DateCall) and not line.is_length
        if is_moment and _moment(text) == _moment(line.stated):
            return f"{{step.s{number}.result}}"
    named = find_moments(text)
    like = {
        each.text for each in asked if len(named) == 1 and each.is_like(named[0]) and _moment(each.text) is not None
    }
    return like.pop() if len(like) == 1 else text


def _duration(signed: str, earlier: Sequence[_Line]) -> str:
    """A duration as it is, or as the result of an earlier line: "-{step.s1.result} minutes"."""
    sign, text = signed[0].replace("+", ""), signed[1:]
    numeral = compiled(_NUMERAL).match(text)
    for number, line in reversed([*enumerate(earlier, 1)]):
        result = f"{sign}{{step.s{number}.result}}"
        if isinstance(line.call, Calculation):
            if numeral is not None and numeral[0] == line.stated:
                return f"{result}{text[numeral.end() :]}"
        elif line.is_length and _length(text) == _length(line.stated):
            return f"{result} days" if line.call.counts_days else result
    return " ".join(f"{sign}{part}" for part in compiled("<length>").findall(text))


def _number(numeral: str, earlier: Sequence[_Line]) -> str:
    """A number as it is, or as the result of an earlier line, also as the days, hours or minutes of a length."""
    for number, line in reversed([*enumerate(earlier, 1)]):
        field = (
            "result" if isinstance(line.call, Calculation) and line.stated == numeral else _field_with(numeral, line)
        )
        if field is not None:
            return f"{{step.s{number}.{field}}}"
    return numeral


def _field_with(numeral: str, line: _Line) -> str | None:
    """The field of a length that has a number: its days, its hours or its minutes."""
    length = _length(line.stated) if line.is_length else None
    if length is None or length.months or length.working_days or isinstance(line.call, Calculation):
        return None
    units = {"result": _DAY} if line.call.counts_days else {"hours": 3600, "minutes": 60}
    return next((field for field, seconds in units.items() if length.seconds == float(numeral) * seconds), None)
