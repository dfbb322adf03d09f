"""Dates, clock times and durations from text, in English and German. python-dateutil reads what has no fixed form."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.number_styles import with_english_numerals

if TYPE_CHECKING:
    from dateutil.parser import parser

Moment = date | datetime | time
"""A day, a day with a time, or a clock time of no particular day; none has a time zone."""


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_GERMAN_WEEKDAYS = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
_MONTHS = (
    ("Jan", "January", "Januar", "Jänner"),
    ("Feb", "February", "Februar"),
    ("Mar", "March", "März", "Mrz", "Maerz"),
    ("Apr", "April"),
    ("May", "Mai"),
    ("Jun", "June", "Juni"),
    ("Jul", "July", "Juli"),
    ("Aug", "August"),
    ("Sep", "Sept", "September"),
    ("Oct", "October", "Okt", "Oktober"),
    ("Nov", "November"),
    ("Dec", "December", "Dez", "Dezember"),
)
MONTH_NAMES = tuple(sorted((name for names in _MONTHS for name in names), key=len, reverse=True))
"""All names of months, the longest first."""

SMALL_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "ein", "eine", "einem", "einen", "einer"), 1),
    **dict(
        zip(
            ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
            range(2, 13),
            strict=True,
        )
    ),
    **dict(
        zip(
            ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"],
            range(2, 13),
            strict=True,
        )
    ),
}
"""The numbers to twelve in words, English and German."""
NUMBER = rf"(?:\d{{1,9}}(?:[.,]\d{{1,6}})?|{'|'.join(sorted(SMALL_NUMBERS, key=len, reverse=True))})"
"""A pattern for an amount, in digits or a small one in words."""
_UNIT_WORDS = {
    "working": r"(?:working|business|work)[ -]?days?|weekdays|werktage?n?|arbeitstage?n?",
    "years": r"years?|yrs?|jahre?n?",
    "months": r"months?|monate?n?",
    "weeks": r"weeks?|wks?|wochen?",
    "days": r"days?|nights?|tage?n?|nächten?|nacht|d",
    "hours": r"hours?|hrs?|stunden?|std|h",
    "minutes": r"minutes?|minuten?|mins?|m",
    "seconds": r"seconds?|secs?|sekunden?|sek|s",
}
DURATION_UNIT = "(?:" + "|".join(_UNIT_WORDS.values()) + ")"
"""A pattern for a unit of time."""
_SECONDS = {"weeks": 604_800, "days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}
_TERM = (
    r"(?:(?P<sign>[-+]|minus|plus)\s*)?(?:"
    r"(?P<hours>\d{1,6}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?(?!\d)(?:\s*(?:hours?|hrs?|stunden|std|h)\b\.?)?"
    rf"|(?P<amount>{NUMBER})\s*(?:"
    + "|".join(f"(?P<u_{unit}>{words})" for unit, words in _UNIT_WORDS.items())
    # Before a digit or a sign too: "2h50min". Minutes may lack their unit after hours: "2h50".
    + r")(?![^\W\d_])\.?(?:(?<=h)(?P<rest>[0-5]\d)(?!\d|\s*[^\W\d_]))?)"
)
"""A term of a duration; the pattern takes milliseconds to compile."""
_BETWEEN = LazyPattern(r"(?:\s|,|;|\band\b|\bund\b)*")
_PAST = LazyPattern(r"^vor\s+|\s+(?:ago|earlier|before|früher)$")
_FUTURE = LazyPattern(r"^in\s+|\s+(?:later|after|from now|from today|später)$")

_CLOCK = LazyPattern(r"(\d{1,2})(?:[:.](\d\d)(?::(\d\d))?)?\s*(am|pm|a\.m\.|p\.m\.|uhr|h)?", re.IGNORECASE)
_AT_CLOCK = LazyPattern(r"(?P<day>\D{3,40}?|\D{3,40} \d{4}),? (?:at |um |gegen )?(?P<clock>\d[\d:.]*(?: ?[a-z.]+)?)")
_SLASHED = LazyPattern(r"(\d{1,2})/(\d{1,2})/\d{2,4}")
_MONTH_DAY = LazyPattern(r"-{0,2}(?P<month>\d{1,2})-(?P<day>\d{1,2})")
_GERMAN_DAY = LazyPattern(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.?")
_NEAR_DAYS = {
    **dict.fromkeys(("today", "heute"), 0),
    **dict.fromkeys(("tomorrow", "morgen", "mañana", "demain"), 1),
    **dict.fromkeys(("day after tomorrow", "the day after tomorrow", "übermorgen"), 2),
    **dict.fromkeys(("yesterday", "gestern", "ayer"), -1),
    **dict.fromkeys(("day before yesterday", "the day before yesterday", "vorgestern"), -2),
}
_FEASTS = {
    **dict.fromkeys(("christmas", "christmas day", "xmas", "weihnachten"), (12, 25)),
    **dict.fromkeys(("christmas eve", "heiligabend", "heilig abend"), (12, 24)),
    **dict.fromkeys(("new year's eve", "new years eve", "silvester"), (12, 31)),
    **dict.fromkeys(("new year", "new year's day", "new years day", "new year's", "neujahr"), (1, 1)),
    **dict.fromkeys(("halloween",), (10, 31)),
    **dict.fromkeys(("valentine's day", "valentines day", "valentinstag"), (2, 14)),
}
MOVABLE_FEASTS = {
    **dict.fromkeys(("easter", "easter sunday", "ostern", "ostersonntag"), 0),
    **dict.fromkeys(("good friday", "karfreitag"), -2),
    **dict.fromkeys(("easter monday", "ostermontag"), 1),
    **dict.fromkeys(("ascension day", "christi himmelfahrt", "himmelfahrt"), 39),
    **dict.fromkeys(("pentecost", "whit sunday", "pfingsten", "pfingstsonntag"), 49),
    **dict.fromkeys(("whit monday", "pfingstmontag"), 50),
}
"""Feasts that are not on the same day each year, and their days after Easter."""
NAMED_DAYS = (*_NEAR_DAYS, *_FEASTS, *MOVABLE_FEASTS, *map(str.casefold, WEEKDAYS), *_GERMAN_WEEKDAYS, "sonnabend")
"""The names of days that `read_moment` knows."""
_ARTICLES = LazyPattern(r"^(?:the|on|next|this|coming|am|den|dem|der|nächste[nrs]?|diese[nrs]?|kommende[nrs]?)\s+")
_ORDINALS = {
    **{name: number for number, name in enumerate(("first", "second", "third", "fourth", "fifth"), 1)},
    **{name: number for number, name in enumerate(("1st", "2nd", "3rd", "4th", "5th"), 1)},
    **{name: number for number, name in enumerate(("erste", "zweite", "dritte", "vierte", "fünfte"), 1)},
    **dict.fromkeys(("last", "letzte"), -1),
}
_WEEKDAY_NAMES = "|".join((*map(str.casefold, WEEKDAYS), *_GERMAN_WEEKDAYS, "sonnabend"))
NTH_WEEKDAY = (
    rf"(?:{'|'.join(_ORDINALS)})(?:[rns])? (?:{_WEEKDAY_NAMES}) (?:in|of|im|des)(?: monats)? "
    rf"(?:{'|'.join(MONTH_NAMES)}) \d{{4}}"
)
"""A pattern for "last Friday in November 2026"."""
FEAST_OF_YEAR = rf"(?:{'|'.join(sorted(map(re.escape, (*_FEASTS, *MOVABLE_FEASTS)), key=len, reverse=True))}) \d{{4}}"
"""A pattern for "Easter 2027"."""
_DEFAULTS = (datetime(2000, 1, 1, 0, 0), datetime(2004, 2, 2, 1, 1))  # noqa: DTZ001  # without a zone, as all moments here
"""Two leap years: a part that differs between two readings with these defaults is not in the text."""


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time. Months and working days have no fixed number of seconds, so they stand apart."""

    months: int = 0
    seconds: int = 0
    working_days: int = 0

    def __add__(self, other: "Duration") -> "Duration":
        return Duration(
            self.months + other.months, self.seconds + other.seconds, self.working_days + other.working_days
        )

    def __neg__(self) -> "Duration":
        return Duration(-self.months, -self.seconds, -self.working_days)


def read_duration(text: str) -> Duration:
    """Returns the duration that `text` says: "3 months -1 day", "2h 50min", "14:35", "10 working days", "2 weeks ago".

    Each sign counts for its own term. Raises ValueError, which names the text.
    """
    plain = " ".join(text.casefold().replace("−", "-").replace("–", "-").split())  # noqa: RUF001  # as people type it
    plain = with_english_numerals(plain)
    is_past = _PAST.search(plain) is not None
    plain = _FUTURE.sub("", _PAST.sub("", plain))
    total, position = Duration(), 0
    while match := _compiled(_TERM).match(plain, position):
        total += _term(match)
        position = _end_of_gap(plain, match.end())
    if position < len(plain) or not plain:
        raise ValueError(f"{text!r} is not a duration; write one like '45 days', '3 months -1 day' or '2h 50min'")
    return -total if is_past else total


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _end_of_gap(text: str, position: int) -> int:
    gap = _BETWEEN.match(text, position)
    return gap.end() if gap else position


def _term(match: re.Match[str]) -> Duration:
    duration = _clock_term(match) if match["hours"] else _unit_term(match)
    return -duration if match["sign"] in ("-", "minus") else duration


def _clock_term(match: re.Match[str]) -> Duration:
    return Duration(seconds=int(match["hours"]) * 3600 + int(match["minutes"]) * 60 + int(match["seconds"] or 0))


def _unit_term(match: re.Match[str]) -> Duration:
    amount = Fraction(SMALL_NUMBERS.get(match["amount"]) or match["amount"].replace(",", "."))
    unit = next(unit for unit in _UNIT_WORDS if match[f"u_{unit}"])
    if unit in _SECONDS:
        return Duration(seconds=round(amount * _SECONDS[unit]) + 60 * int(match["rest"] or 0))
    amount *= 12 if unit == "years" else 1
    if amount.denominator != 1:
        raise ValueError(f"{match[0]!r} has no fixed length; write whole months or days")
    return Duration(working_days=int(amount)) if unit == "working" else Duration(months=int(amount))


def read_moment(text: str, now: datetime) -> Moment:
    """Returns the moment that `text` names: an ISO date, "24 November 2026", "heute", "Friday at 9:30", "14:35".

    A weekday is the next one after today; a day without its year, or a feast, is the next one from today on.
    Raises ValueError, which names the text.
    """
    plain = " ".join(text.casefold().split()).strip(" .,?!")
    plain = _ARTICLES.sub("", _ARTICLES.sub("", plain))
    if plain in ("now", "jetzt"):
        return now.replace(second=0, microsecond=0)
    clock = _clock_time(plain)
    if clock is not None:
        return clock
    return _named_day(plain, now.date()) or _named_day_at(plain, now.date()) or _written_moment(text, plain, now)


def _clock_time(text: str) -> time | None:
    match = _CLOCK.fullmatch(text)
    if match is None or not (match[2] or match[4]) or ("." in match[0].rstrip("m.") and not match[4]):
        return None
    hour, half = int(match[1]), (match[4] or "").replace(".", "")
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:  # noqa: PLR2004  # a clock face
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        return time(hour, int(match[2] or 0), int(match[3] or 0))
    except ValueError:
        return None


def _named_day(text: str, today: date) -> date | None:
    from dateutil.easter import easter

    if text in _NEAR_DAYS:
        return today + timedelta(days=_NEAR_DAYS[text])
    if text in MOVABLE_FEASTS:
        return _next(lambda year: easter(year) + timedelta(days=MOVABLE_FEASTS[text]), today)
    if text in _FEASTS:
        month, day = _FEASTS[text]
        return _next(lambda year: date(year, month, day), today)
    if re.fullmatch(FEAST_OF_YEAR, text):
        name, _, year = text.rpartition(" ")
        after_easter = MOVABLE_FEASTS.get(name)
        fixed = _FEASTS.get(name, (1, 1))
        return date(int(year), *fixed) if after_easter is None else easter(int(year)) + timedelta(days=after_easter)
    if re.fullmatch(NTH_WEEKDAY, text, re.IGNORECASE):
        return _nth_weekday(text.split())
    index = _weekday_index(text)
    return None if index is None else today + timedelta(days=(index - today.weekday() - 1) % 7 + 1)


def _named_day_at(text: str, today: date) -> datetime | None:
    """The moment of "tomorrow at 9:30"; None for a day that has no name. Raises ValueError for "tomorrow at 25:30"."""
    match = _AT_CLOCK.fullmatch(text)
    day = None if match is None else _named_day(match["day"], today)
    if match is None or day is None:
        return None
    clock = _clock_time(match["clock"])
    if clock is None and ":" in match["clock"]:
        raise ValueError(f"{match['clock']!r} is not a time of a day; write HH:MM, 00:00 to 23:59")
    return None if clock is None else datetime.combine(day, clock)


def _nth_weekday(words: list[str]) -> date:
    """The day of "last friday in november 2026". Raises ValueError for a fifth one that the month lacks."""
    number = next(number for name, number in _ORDINALS.items() if words[0].startswith(name))
    month = next(month for month, names in enumerate(_MONTHS, 1) if words[-2] in map(str.casefold, names))
    first = date(int(words[-1]), month, 1)
    days = [first + timedelta(days=day) for day in range(31)]
    fitting = [day for day in days if day.month == month and day.weekday() == _weekday_index(words[1])]
    if number > len(fitting):
        raise ValueError(f"there is no {' '.join(words)}")
    return fitting[number - 1 if number > 0 else -1]


def _weekday_index(text: str) -> int | None:
    names = list(map(str.casefold, WEEKDAYS))
    if text in names:
        return names.index(text)
    german = "samstag" if text == "sonnabend" else text
    return _GERMAN_WEEKDAYS.index(german) if german in _GERMAN_WEEKDAYS else None


def _next(day_in: Callable[[int], date], today: date) -> date:
    """The first such day from today on. A leap day is in one of the next eight years."""
    for year in range(today.year, today.year + 9):
        try:
            day = day_in(year)
        except ValueError:
            continue
        if day >= today:
            return day
    raise ValueError("there is no such day")


def _written_moment(text: str, plain: str, now: datetime) -> Moment:
    slashed = _SLASHED.search(plain)
    if slashed and slashed[1] != slashed[2] and max(int(slashed[1]), int(slashed[2])) <= 12:  # noqa: PLR2004  # months
        raise ValueError(f"{text!r} can mean two dates; write it as YYYY-MM-DD")
    if month_day := _MONTH_DAY.fullmatch(plain) or _GERMAN_DAY.fullmatch(plain):
        month, day = int(month_day["month"]), int(month_day["day"])
        return _dated(text, lambda: _next(lambda year: date(year, month, day), now.date()))
    try:
        first, second = (_parser().parse(plain, default=each, dayfirst="." in plain) for each in _DEFAULTS)
    except (ValueError, OverflowError, TypeError) as error:
        raise ValueError(_unreadable(text, error.__cause__)) from error
    if (first.month, first.day) != (second.month, second.day):
        raise ValueError(f"{text!r} lacks its day or its month; write a date as YYYY-MM-DD")
    if first.tzinfo is not None:
        first, second = (each.astimezone().replace(tzinfo=None) for each in (first, second))
    if first.year != second.year:
        return _dated(text, lambda: _next(lambda year: date(year, first.month, first.day), now.date()))
    return first.date() if first.hour != second.hour or first.minute != second.minute else first


def _dated(text: str, find: Callable[[], date]) -> date:
    try:
        return find()
    except ValueError:
        raise ValueError(_unreadable(text)) from None


def _unreadable(text: str, cause: BaseException | None = None) -> str:
    reason = f" ({cause})" if isinstance(cause, ValueError) else ""
    return f"{text!r} is not a date or a time{reason}; write YYYY-MM-DD, YYYY-MM-DD HH:MM, HH:MM or 'today'"


@cache
def _parser() -> "parser":
    """A parser that knows German names too."""
    from dateutil.parser import parser, parserinfo

    class EnglishAndGerman(parserinfo):
        MONTHS = cast("list[Any]", list(_MONTHS))  # typeshed allows two or three names
        WEEKDAYS = cast(
            "list[Any]", [(en[:3], en, de, de[:2]) for en, de in zip(WEEKDAYS, _GERMAN_WEEKDAYS, strict=True)]
        )
        JUMP = [*parserinfo.JUMP, "uhr", "um", "den", "der"]  # noqa: RUF012

    return parser(EnglishAndGerman())
