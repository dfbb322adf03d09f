"""The dates and clock times that a text names, in English and German, also in words: "half past seven". Pure."""

import re
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Final, NamedTuple

from aeon.tools.date_requests import compiled, plain_text
from aeon.tools.moments import MOVABLE_FEASTS, SMALL_NUMBERS, WEEKDAYS, read_moment

_HOURS: Final = {**SMALL_NUMBERS, "eins": 1}
_MINUTES: Final = {**SMALL_NUMBERS, "half": 30, "quarter": 15, "viertel": 15, "twenty": 20, "zwanzig": 20}
_HOUR_WORD: Final = "|".join(sorted(_HOURS, key=len, reverse=True))
_HOUR: Final = rf"(?P<hour>{_HOUR_WORD}|\d{{1,2}})(?![\w:]|\.\d)"
_MINUTE_WORD: Final = "half|quarter|viertel|twenty|zwanzig|five|ten|fünf|zehn"
_SPOKEN: Final = (
    r"\b(?P<hour>\d{1,2})[.](?P<minute>\d\d) uhr\b",
    rf"\b(?P<minutes>{_MINUTE_WORD}) (?P<side>past|to|nach|vor) {_HOUR}",
    rf"(?<![\w:.])(?P<minutes>{_MINUTE_WORD}|\d{{1,2}}) (?:minutes|minuten) (?P<side>past|to|nach|vor) {_HOUR}",
    rf"\b(?P<halb>halb|dreiviertel) {_HOUR}",
    rf"\b(?P<hour>{_HOUR_WORD}) (?:o'clock|uhr)\b|\b(?P<digits>\d{{1,2}}) o'clock\b",
    r"\b(?P<twelve>noon|midday|midnight|mittag|mitternacht)\b",
)
MOMENT: Final = r"(?:<day>(?:,? (?:at |um )?<clock>)?|<clock>)"
"""A pattern for a date, a time, or both."""
_HALF_A_DAY: Final = 720
_NEAR: Final = (
    r"\b(?:today|tomorrow|yesterday|heute|morgen|gestern|übermorgen|vorgestern|"
    + "|".join([*map(str.casefold, WEEKDAYS), *MOVABLE_FEASTS])
    + r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend)\b"
)
_ANY_DAY: Final = datetime(2000, 1, 3)  # noqa: DTZ001  # without a zone, as all moments here; days are only compared


class NamedMoment(NamedTuple):
    """A date or a clock time as a text names it."""

    text: str
    clock: int | None
    """Minutes after noon or midnight, whichever was last: texts often leave open which half of the day they mean."""
    day: tuple[int, int] | None = None
    """The month and the day."""
    year: int | None = None

    def is_like(self, other: "NamedMoment") -> bool:
        """Whether both can be the same: a date without a year is like that of any year."""
        is_same_year = self.year is None or other.year is None or self.year == other.year
        return self.clock == other.clock and self.day == other.day and is_same_year


def find_moments(text: str) -> list[NamedMoment]:
    """The dates and clock times of a text; not "tomorrow", weekdays and Easter, whose dates depend on the year."""
    plain = plain_text(text)
    found: list[NamedMoment] = []
    for pattern in map(compiled, _SPOKEN):
        found += [NamedMoment(each[0], _minutes_of(each.groupdict()) % _HALF_A_DAY) for each in pattern.finditer(plain)]
        plain = pattern.sub(" ; ", plain)
    return [*found, *_days(plain), *_clocks(compiled("<day>").sub(" ; ", plain))]


def take_moments_out(text: str) -> tuple[str, int]:
    """A text without its dates and times, of whatever kind, and how many it had."""
    count = 0
    for pattern in (*_SPOKEN, MOMENT):
        text, number = compiled(pattern).subn(" ; ", text)
        count += number
    return text, count


def _minutes_of(words: dict[str, str | None]) -> int:
    hour = (words.get("hour") or words.get("digits") or "0").casefold()
    full = 60 * (_HOURS.get(hour) or int(hour))
    if half := words.get("halb"):
        return full - (30 if half.casefold() == "halb" else 15)
    if minute := words.get("minute"):
        return full + int(minute)
    minutes = (words.get("minutes") or "0").casefold()
    offset = _MINUTES.get(minutes) or int(minutes)
    return full - offset if (words.get("side") or "").casefold() in ("to", "vor") else full + offset


def _days(text: str) -> Iterator[NamedMoment]:
    for match in compiled("<day>").finditer(text):
        has_year = re.search(r"\d{4}", match[0]) is not None
        if not has_year and compiled(_NEAR).search(match[0]):
            continue
        try:
            day = read_moment(match[0], _ANY_DAY)
        except (ValueError, OverflowError):
            continue
        if isinstance(day, date):
            yield NamedMoment(match[0].strip(), None, (day.month, day.day), day.year if has_year else None)


def _clocks(text: str) -> Iterator[NamedMoment]:
    for match in compiled("<clock>").finditer(text):
        try:
            clock = read_moment(match[0], _ANY_DAY)
        except (ValueError, OverflowError):
            continue
        if isinstance(clock, time):
            yield NamedMoment(match[0].strip(), (60 * clock.hour + clock.minute) % _HALF_A_DAY)
