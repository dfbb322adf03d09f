"""The date tools: the present moment, and arithmetic with dates, clock times and durations."""

from calendar import isleap, monthrange
from datetime import date, datetime, time, timedelta
from typing import Any

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.date_problems import read_problem
from aeon.tools.date_requests import asks_dates, asks_now, asks_only_now, read_dates, read_place_of_now
from aeon.tools.dated_requests import DATE_INSTRUCTIONS, asks_dated_solution
from aeon.tools.found_moments import find_moments
from aeon.tools.interface import Example, Tool
from aeon.tools.moments import WEEKDAYS, Duration, Moment, read_duration, read_moment
from aeon.tools.places import find_zone
from aeon.tools.worked_dates import DATE_TOOL

_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 60}
_DAY, _HOUR, _MINUTE = 86_400, 3600, 60
_WORKDAYS = 5
_PERIOD = LazyPattern(r"(?:(?P<month>[^\W\d]+\.?) )?(?P<year>\d{4})")
_MAX_MONTHS = 12 * 10_000


class NowTool(Tool):
    """A tool that reads the local clock."""

    name = "now"
    description = "Tell the current date, time, weekday, time zone and ISO week, here or in a city."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {"place": {"type": "string", "minLength": 1, "maxLength": 60}},
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("date", "time", "weekday", "zone", "week")},
        "required": ["date", "time", "weekday", "zone", "week"],
    }
    timeout = None  # nothing to wait for
    is_common = False
    is_repeatable = True
    examples = (
        Example("What time is it?", [{"description": "read the clock", "tool": "now", "arguments": {}}]),
        Example("Welcher Tag ist heute?", [{"description": "read today's date", "tool": "now", "arguments": {}}]),
        Example(
            "What time is it in Lima?",
            [{"description": "read the clock for Lima", "tool": "now", "arguments": {"place": "Lima"}}],
        ),
    )

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for a place whose time zone is not known."""
        place = kwargs.get("place")
        zone = None if place is None else find_zone(place)
        if place is not None and zone is None:
            raise ToolError(f"now knows no time zone of {place!r}; name a large city near it, such as 'Berlin'.")
        now = datetime.fromisoformat(self._clock.now()).astimezone(zone)
        year, week, _ = now.isocalendar()
        return {
            "date": now.date().isoformat(),
            "time": f"{now:%H:%M:%S}",
            "weekday": WEEKDAYS[now.weekday()],
            "zone": f"{'' if zone is None else f'{zone.key}, '}{now.tzname()} (UTC{now.isoformat()[-6:]})",
            "week": f"{year}-W{week:02}",
        }

    def suits(self, request: str) -> bool:
        """Whether the request asks for the present date or time, here or in a place that is known."""
        return asks_now(request) or self._place_in(request) is not None

    def reads_whole(self, request: str) -> bool:  # noqa: ARG002  # else it reads no arguments
        return True

    def read_request(self, request: str) -> JsonObject | None:
        """No arguments, or the place, if the whole request is the question for the date or the time."""
        place = self._place_in(request)
        return {"place": place} if place is not None else {} if asks_only_now(request) else None

    def _place_in(self, request: str) -> str | None:
        place = read_place_of_now(request)
        return place if place is not None and find_zone(place) is not None else None


class DateMathTool(Tool):
    """A tool that computes with dates, clock times and durations. Local time, without changes to summer time."""

    name = DATE_TOOL
    description = (
        "Add a duration to a date or a clock time, count from one date to another, add durations, or tell the days in "
        'a month or a year. "today" and names of days are dates too. Working days are Monday to Friday, without '
        "holidays."
    )
    # The properties are in the order in which prompts show arguments: a constrained model must write them so.
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "anyOf": [
            {
                "type": "object",
                "properties": {first: _TEXT, second: _TEXT},
                "required": [first, second],
                "additionalProperties": False,
            }
            for first, second in (("add", "start"), ("start", "until"))
        ]
        + [
            {
                "type": "object",
                "properties": {"durations": {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 50}},
                "required": ["durations"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"days_in": _TEXT},
                "required": ["days_in"],
                "additionalProperties": False,
            },
        ]
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "result": {"type": ["string", "integer"]},
            "unit": {"type": "string"},
            "weekday": {"type": "string"},
            "weeks": {"type": "string"},
            "calendar": {"type": "string"},
            "working_days": {"type": "integer"},
            "days_later": {"type": "integer"},
            "hours": {"type": "number"},
            "minutes": {"type": "number"},
            "leap_year": {"enum": ["yes", "no"]},
        },
        "required": ["result"],
    }
    timeout = None  # the size of every number is bounded
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "What date is 30 days after 3 May 2026?",
            [
                {
                    "description": "add 30 days to 3 May 2026",
                    "tool": "date_math",
                    "arguments": {"start": "2026-05-03", "add": "30 days"},
                }
            ],
        ),
        Example(
            "Wie lange dauert es noch bis Ostern, in Tagen?",
            [
                {
                    "description": "count the days from today to Ostern",
                    "tool": "date_math",
                    "arguments": {"start": "today", "until": "Ostern"},
                }
            ],
        ),
        Example(
            "What weekday is 1 March 2027?",
            [
                {
                    "description": "find the weekday of 1 March 2027",
                    "tool": "date_math",
                    "arguments": {"start": "2027-03-01", "add": "0 days"},
                }
            ],
        ),
        Example(
            "The shop opens at 9:30 and closes at 18:15. How long is it open?",
            [
                {
                    "description": "find the time from 9:30 to 18:15",
                    "tool": "date_math",
                    "arguments": {"start": "9:30", "until": "18:15"},
                }
            ],
        ),
        Example(
            "I leave at 7:20 and drive 1 hour 50 minutes. When am I there?",
            [
                {
                    "description": "add 1 hour 50 minutes to 7:20",
                    "tool": "date_math",
                    "arguments": {"add": "1 hour 50 minutes", "start": "7:20"},
                }
            ],
        ),
        Example(
            "Add 1h 40min and 35 minutes.",
            [
                {
                    "description": "add the durations",
                    "tool": "date_math",
                    "arguments": {"durations": ["1h 40min", "35 minutes"]},
                }
            ],
        ),
    )

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for a text that is not a date, time or duration, and for a result out of range."""
        try:
            if "durations" in kwargs:
                return _sum_of(kwargs["durations"])
            if "days_in" in kwargs:
                return _days_in(kwargs["days_in"])
            now = datetime.fromisoformat(self._clock.now()).astimezone().replace(tzinfo=None)
            if "add" in kwargs:
                return _added(read_moment(kwargs["start"], now), read_duration(kwargs["add"]))
            return _difference(*_read_pair(kwargs["start"], kwargs["until"], now))
        except ValueError as error:
            raise ToolError(f"date_math cannot compute that: {error}.") from error
        except OverflowError as error:
            raise ToolError("date_math cannot compute that: the result is not in the years 1 to 9999.") from error

    def suits(self, request: str) -> bool:
        """Whether the request asks for a date, a time between dates, a weekday, or a sum of durations."""
        return asks_dates(request) or asks_dated_solution(request) or self.read_request(request) is not None

    def working(self, request: str) -> str | None:
        """Instructions for a request whose answer follows from two or more dates, times and durations."""
        return DATE_INSTRUCTIONS if asks_dated_solution(request) else None

    def reads_whole(self, request: str) -> bool:  # noqa: ARG002  # else it reads no arguments
        return True

    def read_request(self, request: str) -> JsonObject | None:
        """The dates and durations of a request in one of a few usual forms."""
        found = read_dates(request) or read_problem(request)
        arguments = None if found is None else _arguments(found)
        return arguments if arguments is not None and self._can_read(arguments) else None

    def _can_read(self, arguments: JsonObject) -> bool:
        try:
            self.invoke(**arguments)
        except ToolError:
            return False
        return True


def _sum_of(texts: list[str]) -> JsonObject:
    total = sum(map(read_duration, texts), Duration())
    if total.months or total.working_days:
        raise ValueError("months, years and working days have no fixed length; add them to a date")
    return _length(total.seconds)


def _length(seconds: int) -> JsonObject:
    """A length of time as h:mm, or h:mm:ss if it has seconds, in hours, and in minutes."""
    minutes, rest = divmod(abs(seconds), _MINUTE)
    hours, minutes = divmod(minutes, 60)
    clock = f"{'-' if seconds < 0 else ''}{hours}:{minutes:02}" + (f":{rest:02}" if rest else "")
    in_minutes = seconds // _MINUTE if seconds % _MINUTE == 0 else round(seconds / _MINUTE, 6)
    return {"result": clock, "unit": "h", "hours": round(seconds / _HOUR, 6), "minutes": in_minutes}


def _days_in(text: str) -> JsonObject:
    """The days of a year, "2100", or of a month, "February 2028"."""
    found = _PERIOD.fullmatch(" ".join(text.split()))
    if found is None:
        raise ValueError(f"{text!r} is no month and no year; write one like 'February 2028' or '2028'")
    year = int(found["year"])
    first = date(year, 1, 1) if found["month"] is None else read_moment(f"1 {found[0]}", datetime(year, 1, 1))  # noqa: DTZ001  # any moment
    if not isinstance(first, date):
        raise ValueError(f"{text!r} is no month; write one like 'February 2028'")  # noqa: TRY004  # the text is wrong
    days = 365 + isleap(year) if found["month"] is None else monthrange(year, first.month)[1]
    return {"result": days, "unit": "days", "leap_year": "yes" if isleap(year) else "no"}


def _read_pair(start: str, until: str, now: datetime) -> tuple[Moment, Moment]:
    """Two moments. A date without a year is in that of the other: "20 December" until "5 January 2027" is in 2026."""
    first, last = read_moment(start, now), read_moment(until, now)
    years = [moment.year for text in (start, until) for moment in find_moments(text) if moment.day is not None]
    is_pair = len(years) == 2 and years.count(None) == 1  # noqa: PLR2004  # of days
    if not is_pair or isinstance(first, time) or isinstance(last, time) or type(first) is not type(last):
        return first, last
    if years[0] is None:
        first = first.replace(year=last.year)
        return (first if first <= last else first.replace(year=last.year - 1)), last
    last = last.replace(year=first.year)
    return first, (last if last >= first else last.replace(year=first.year + 1))


def _added(start: Moment, duration: Duration) -> JsonObject:
    if isinstance(start, time):
        return _clock_plus(start, duration)
    from dateutil.relativedelta import relativedelta

    if abs(duration.months) > _MAX_MONTHS:
        raise OverflowError
    moment = start if isinstance(start, datetime) or duration.seconds % _DAY == 0 else datetime.combine(start, time())
    moment += relativedelta(months=duration.months)
    moment = _plus_working_days(moment, duration.working_days) + timedelta(seconds=duration.seconds)
    is_day = not isinstance(moment, datetime)
    text = moment.isoformat() if is_day else moment.isoformat(" ", "seconds").removesuffix(":00")
    return {"result": text, "weekday": WEEKDAYS[moment.weekday()]}


def _clock_plus(start: time, duration: Duration) -> JsonObject:
    if duration.months or duration.working_days:
        raise ValueError("a clock time plus months or working days needs a date; give the start as YYYY-MM-DD HH:MM")
    days, seconds = divmod(_seconds(start) + duration.seconds, _DAY)
    minutes, rest = divmod(seconds, _MINUTE)
    text = f"{minutes // 60:02}:{minutes % 60:02}" + (f":{rest:02}" if rest else "")
    return {"result": text, **({"days_later": days} if days else {})}


def _seconds(clock: time) -> int:
    return clock.hour * _HOUR + clock.minute * _MINUTE + clock.second


def _plus_working_days(moment: date, working_days: int) -> date:
    """`moment` plus a number of days from Monday to Friday. A weekend counts as the Friday or the Monday beside it."""
    if not working_days:
        return moment
    weekday = moment.weekday()
    if weekday >= _WORKDAYS:
        moment += timedelta(days=_WORKDAYS - 1 - weekday if working_days > 0 else 7 - weekday)
    weeks, days = divmod(moment.weekday() + working_days, _WORKDAYS)
    return moment + timedelta(days=7 * weeks + days - moment.weekday())


def _difference(start: Moment, end: Moment) -> JsonObject:
    if isinstance(start, time) and isinstance(end, time):
        return _length((_seconds(end) - _seconds(start)) % _DAY)
    if isinstance(start, time) or isinstance(end, time):
        raise ValueError("one of start and until is a clock time without a date; give both as YYYY-MM-DD HH:MM")  # noqa: TRY004  # the text is wrong, not its type
    if isinstance(start, datetime) or isinstance(end, datetime):
        return _length(round((_at(end) - _at(start)).total_seconds()))
    days = (end - start).days
    return {
        "result": days,
        "unit": "days",
        "weeks": _in_words({"week": abs(days) // 7, "day": abs(days) % 7}, is_negative=days < 0),
        "calendar": _calendar_length(start, end),
        "working_days": _working_days(start, end),
    }


def _at(moment: date) -> datetime:
    return moment if isinstance(moment, datetime) else datetime.combine(moment, time())


def _calendar_length(start: date, end: date) -> str:
    from dateutil.relativedelta import relativedelta

    first, last = min(start, end), max(start, end)
    length = relativedelta(last, first)
    return _in_words({"year": length.years, "month": length.months, "day": length.days}, is_negative=end < start)


def _in_words(amounts: dict[str, int], *, is_negative: bool) -> str:
    words = [f"{amount} {unit}{'' if amount == 1 else 's'}" for unit, amount in amounts.items() if amount]
    return ("minus " if is_negative else "") + (" ".join(words) or "0 days")


def _working_days(start: date, end: date) -> int:
    """The days from Monday to Friday, the start included and the end not."""
    if end < start:
        return -_working_days(end, start)
    weeks, days = divmod((end - start).days, 7)
    return weeks * _WORKDAYS + sum((start.weekday() + day) % 7 < _WORKDAYS for day in range(days))


def _arguments(found: dict[str, str | None]) -> JsonObject:
    given = {name: text.strip() for name, text in found.items() if text}
    if "days_in" in given:
        return {"days_in": given["days_in"]}
    if "year" in given:
        return {"days_in": f"{given['month']} {given['year']}"}
    if "one" in given:
        two = [f"{given['two']} ago" if "less" in given else given["two"]] if "two" in given else []
        return {"durations": [given["one"], *two]}
    before = given.pop("before", None)
    if before:
        given["add"] += " ago"
    if given.keys() == {"start"}:
        given["add"] = "0 days"
    return {"start": given.pop("since", "today"), **given}
