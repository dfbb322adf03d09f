"""Finds in a text the days that it speaks of, in English, German and French: "last May", "gestern", "il y a 3 jours".

Pure. Words without a year or a date mean the past, seen from the day on which they are written.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, timedelta
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.search.tokenizer import tokenize

_DAY: Final = timedelta(days=1)
_MAX_TEXT = 20_000
"""The number of characters of a text that are read."""

_LAST_YEAR = 9999


class Period(NamedTuple):
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    def overlaps(self, other: "Period") -> bool:
        """Whether the two have a day in common."""
        return self.first <= other.last and other.first <= self.last


def find_periods(text: str, today: date) -> list[Period]:
    """Return the days that a text speaks of, each period once, seen from `today`. Every text is valid."""
    found = (_period(match, today) for match in _EXPRESSION.finditer(text[:_MAX_TEXT]))
    return [*dict.fromkeys(period for period in found if period is not None)]


def asks_for_time(question: str) -> bool:
    """Whether a question asks when something was, or how long."""
    return _WHEN.match(question.strip()) is not None


def has_time_words(words: Collection[str]) -> bool:
    """Whether one of a text's words, folded, is of an expression that `find_periods` knows."""
    return not _TIME_WORDS.isdisjoint(words)


def has_relative_words(words: Collection[str]) -> bool:
    """Whether one of a text's words, folded, tells a time without naming days, such as `tomorrow` or `since`."""
    return not _RELATIVE.isdisjoint(words)


_WHEN: Final = LazyPattern(
    r"when\b|how long\b|(?:what|which) (?:date|year|month|week|day|time)\b"
    r"|wann\b|wie lange\b|seit wann\b|(?:in|an) welche[mr] (?:jahr|monat|woche|tag)\b"
    r"|quand\b|depuis quand\b|combien de temps\b|(?:en |à )?quel(?:le)? (?:date|année|jour|mois|semaine)\b",
    re.IGNORECASE,
)

_MONTHS: Final[Mapping[str, int]] = {
    name: month
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "jänner februar maerz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    )
    for month, name in enumerate(names.split(), 1)
}
_AMBIGUOUS: Final = frozenset({"may", "march", "august", "mars", "mai"})
"""Months that are other words, too: alone, they count only with a capital letter and not as a text's first word."""

_SHORT_MONTHS: Final[Mapping[str, int]] = {name[:3]: month for name, month in list(_MONTHS.items())[:12]} | {"sept": 9}
_WEEKDAYS: Final[Mapping[str, int]] = {
    name: day
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
    )
    for day, name in enumerate(names.split())
}
_NUMBERS: Final[Mapping[str, int]] = {
    name: number
    for names in (
        "a two three four five six seven eight nine ten",
        "an two three four five six seven eight nine ten",
        "one zwei drei vier fünf sechs sieben acht neun zehn",
        "einem deux trois quatre cinq six sept huit neuf dix",
        "einer deux trois quatre cinq six sept huit neuf dix",
        "un deux trois quatre cinq six sept huit neuf dix",
        "une deux trois quatre cinq six sept huit neuf dix",
    )
    for number, name in enumerate(names.split(), 1)
}
_UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("day", "days", "tag", "tagen", "jour", "jours"), "day"),
    **dict.fromkeys(("week", "weeks", "woche", "wochen", "semaine", "semaines"), "week"),
    **dict.fromkeys(("month", "months", "monat", "monaten", "mois"), "month"),
    **dict.fromkeys(("year", "years", "jahr", "jahren", "an", "ans", "année"), "year"),
    **dict.fromkeys(("weekend", "wochenende", "week-end"), "weekend"),
}
_DAYS_AGO: Final[Mapping[str, int]] = {
    **dict.fromkeys(("today", "heute", "aujourd'hui", "tonight", "this morning"), 0),
    **dict.fromkeys(("yesterday", "gestern", "hier", "last night"), 1),
    **dict.fromkeys(("the day before yesterday", "vorgestern", "avant-hier"), 2),
}


_FRENCH: Final = LazyPattern(r"\b(?:j'|qu'|c'est|je|tu|il|elle|nous|vous|que|ai|est|les|une|des)\b", re.IGNORECASE)
"""Words of French: in other texts, `hier` is the German word for "here"."""

_RELATIVE: Final = frozenset(
    tokenize("soon tomorrow next recently since ago morgen nächste nächsten bald seit demain prochain prochaine depuis")
)


def _one_of(names: Mapping[str, object]) -> str:
    return "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))


_MONTH = _one_of(_MONTHS)
_WEEKDAY = _one_of(_WEEKDAYS)
_UNIT = _one_of(_UNITS)
_NUMBER = rf"\d{{1,3}}|{_one_of(_NUMBERS)}"
_LAST = r"last|past|previous|letzte[mnrs]?|vorige[mnrs]?|vergangene[mnrs]?"
_THIS = r"this|diese[mnrs]?|ce|cette"
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"
_IN = r"in|im|en|au mois de|since|seit|depuis|during|of|until|by|early|late|mid|anfang|ende|mitte|début|fin"

_TIME_WORDS: Final = frozenset(
    folded
    for names in (_MONTHS, _SHORT_MONTHS, _WEEKDAYS, _UNITS, _DAYS_AGO, map(str, range(1900, 2100)))
    for name in names
    for folded in tokenize(name)
) - set(tokenize("a an the this before after hui d l"))

_EXPRESSION: Final = LazyPattern(
    rf"""(?<![\w.-])(?:
      (?P<iso>{_YEAR}-\d\d-\d\d)
    | (?P<dotted>\d{{1,2}}\.\s?\d{{1,2}}\.\s?{_YEAR})
    | (?P<day>\d{{1,2}}){_ORDINAL}\s(?:of\s|de\s)?(?P<day_month>{_MONTH}|{_one_of(_SHORT_MONTHS)})\b\.?
        (?:,?\s(?P<day_year>{_YEAR}))?
    | (?P<month_of_day>{_MONTH}|{_one_of(_SHORT_MONTHS)})\.?\s(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b
        (?:,?\s(?P<year_after>{_YEAR}))?
    | (?P<days_ago>{_one_of(_DAYS_AGO)})
    | (?P<number>{_NUMBER})\s(?P<unit_ago>{_UNIT})\sago
    | (?:vor|il\sy\sa)\s(?P<count>{_NUMBER})\s(?P<unit_before>{_UNIT})
    | (?:{_LAST})\s(?P<last_unit>{_UNIT})
    | (?:la|le|l')\s?(?P<unit_last>{_UNIT})\s(?:dernier|dernière|passée?)
    | (?:{_THIS})\s(?P<this_unit>{_UNIT})
    | (?:{_LAST})\s(?P<last_month>{_MONTH})
    | (?P<month_last>{_MONTH})\sdernier
    | (?P<before>(?:{_IN}|{_THIS})\s)?(?P<month>{_MONTH})(?:,?\s(?:of\s|de\s)?(?P<month_year>{_YEAR}))?
    | (?:(?:{_LAST})\s)?(?P<weekday>{_WEEKDAY})(?:\sdernier)?
    | (?:in|im\sjahr|en|since|seit|depuis|during|of|year|jahr|année)\s(?P<year>{_YEAR})(?!-)
    )(?![\w])""",
    re.IGNORECASE | re.VERBOSE,
)


def _period(match: re.Match[str], today: date) -> Period | None:
    """Return the days that an expression means; None for a day that no calendar has, and for an ambiguous word."""
    try:
        return next(_readings(match, today))
    except (ValueError, OverflowError, StopIteration):
        return None


def _readings(match: re.Match[str], today: date) -> Iterator[Period]:
    group = {name: value.lower() for name, value in match.groupdict().items() if value}
    for name, read in _READERS.items():
        if name in group:
            yield from read(group, today)
    if "days_ago" in group and not _is_here(match, group):
        yield from _days_ago(group, today)
    if "month" in group and not _is_other_word(match, group):
        yield _month(_MONTHS[group["month"]], group.get("month_year"), today)


def _is_here(match: re.Match[str], group: Mapping[str, str]) -> bool:
    """Whether `hier` is the German word: `hier` is a day where the text has other words of French, or is that word."""
    return group["days_ago"] == "hier" and match.string.strip() != match[0] and _FRENCH.search(match.string) is None


def _is_other_word(match: re.Match[str], group: Mapping[str, str]) -> bool:
    if group["month"] not in _AMBIGUOUS or "before" in group or "month_year" in group:
        return False
    return match["month"][0].islower() or not match.string[: match.start()].strip()


def _day(year: int, month: int, day: int) -> Iterator[Period]:
    yield Period(date(year, month, day), date(year, month, day))


def _iso(group: Mapping[str, str], _today: date) -> Iterator[Period]:
    yield from _day(*map(int, group["iso"].split("-")))


def _dotted(group: Mapping[str, str], _today: date) -> Iterator[Period]:
    day, month, year = map(int, group["dotted"].split("."))
    yield from _day(year, month, day)


def _named_day(day: str, month: str, year: str | None, today: date) -> Iterator[Period]:
    number = _MONTHS.get(month) or _SHORT_MONTHS[month]
    if year is not None:
        yield from _day(int(year), number, int(day))
        return
    is_over = (number, int(day)) <= (today.month, today.day)
    yield from _day(today.year - (not is_over), number, int(day))


def _ago(number: str, unit: str, today: date) -> Iterator[Period]:
    count = _NUMBERS.get(number) or int(number)
    if unit == "day":
        yield Period(today - count * _DAY, today - count * _DAY)
    elif unit == "week":
        yield Period(today - (7 * count + 3) * _DAY, today - (7 * count - 3) * _DAY)
    elif unit == "month":
        yield _month_before(today, count)
    elif unit == "year":
        yield _year(today.year - count)


def _unit_before(unit: str, today: date) -> Iterator[Period]:
    """Yield the last week, month, year or weekend before the one that `today` is in; of a day, the day before."""
    monday = today - today.weekday() * _DAY
    if unit == "week":
        yield Period(monday - 7 * _DAY, monday - _DAY)
    elif unit == "weekend":
        yield Period(monday - 2 * _DAY, monday - _DAY)
    else:
        yield from _ago("1", unit, today)


def _this_unit(unit: str, today: date) -> Iterator[Period]:
    monday = today - today.weekday() * _DAY
    if unit == "week":
        yield Period(monday, monday + 6 * _DAY)
    elif unit == "weekend":
        yield Period(monday + 5 * _DAY, monday + 6 * _DAY)
    elif unit == "month":
        yield _month_before(today, 0)
    elif unit == "year":
        yield _year(today.year)
    else:
        yield Period(today, today)


def _weekday(name: str, today: date) -> Iterator[Period]:
    """Yield the last such day before `today`."""
    day = today - ((today.weekday() - _WEEKDAYS[name] - 1) % 7 + 1) * _DAY
    yield Period(day, day)


def _days_ago(group: Mapping[str, str], today: date) -> Iterator[Period]:
    day = today - _DAYS_AGO[group["days_ago"]] * _DAY
    yield Period(day, day)


def _month(month: int, year: str | None, today: date) -> Period:
    """Return a month: of a year, or the last one that has begun."""
    return _whole_month(int(year) if year else today.year - (month > today.month), month)


def _last_month(month: str, today: date) -> Iterator[Period]:
    """Yield the last such month that is over."""
    number = _MONTHS[month]
    yield _whole_month(today.year - (number >= today.month), number)


def _month_before(today: date, count: int) -> Period:
    months = today.year * 12 + today.month - 1 - count
    return _whole_month(months // 12, months % 12 + 1)


def _whole_month(year: int, month: int) -> Period:
    if (year, month) == (_LAST_YEAR, 12):
        return Period(date(year, month, 1), date.max)
    return Period(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1) - _DAY)


def _year(year: int) -> Period:
    return Period(date(year, 1, 1), date(year, 12, 31))


_Reader = Callable[[Mapping[str, str], date], Iterator[Period]]

_READERS: Final[Mapping[str, _Reader]] = {
    "iso": _iso,
    "dotted": _dotted,
    "day": lambda g, today: _named_day(g["day"], g["day_month"], g.get("day_year"), today),
    "day_after": lambda g, today: _named_day(g["day_after"], g["month_of_day"], g.get("year_after"), today),
    "number": lambda g, today: _ago(g["number"], _UNITS[g["unit_ago"]], today),
    "count": lambda g, today: _ago(g["count"], _UNITS[g["unit_before"]], today),
    "last_unit": lambda g, today: _unit_before(_UNITS[g["last_unit"]], today),
    "unit_last": lambda g, today: _unit_before(_UNITS[g["unit_last"]], today),
    "this_unit": lambda g, today: _this_unit(_UNITS[g["this_unit"]], today),
    "last_month": lambda g, today: _last_month(g["last_month"], today),
    "month_last": lambda g, today: _last_month(g["month_last"], today),
    "weekday": lambda g, today: _weekday(g["weekday"], today),
    "year": lambda g, _today: iter((_year(int(g["year"])),)),
}
"""What reads an expression, by the name of the group that its match has."""
