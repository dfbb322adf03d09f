"""Finds numbers, dates and declines in answers. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date

_NUMERAL = re.compile(r"(?<![\w.,])[-\u2212]?\d+(?:[.,\u202f']\d{3}(?!\d))*(?:[.,]\d+)?")
_MONTHS = (
    "january januar, february februar, march maerz, april, may mai, june juni, july juli, august, september, "
    "october oktober, november, december dezember"
)
_MONTH_NUMBERS = {
    name[:length]: number
    for number, names in enumerate(_MONTHS.split(","), 1)
    for name in names.split()
    for length in (3, len(name))
}
_NAMED = r"(?P<month>[a-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_DATES = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d)"),
    re.compile(rf"(?<!\d){_DAY}\s+(?:of\s+)?{_NAMED}(?:,?\s+(?P<year>\d{{4}}))?"),
    re.compile(rf"\b{_NAMED}\s+{_DAY}(?!\d)(?:,?\s+(?P<year>\d{{4}}))?"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})?"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})"),
    re.compile(r"(?<!\d)(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})"),
)

_ACTION = (
    r"(?:assist|help|do|provide|give|access|check|know|tell|see|look|send|book|order|call|phone|make|place|browse|predict|"
    r"perform|complete|carry|find|answer|determine|retrieve|turn|set|open|pay|post|buy|read|connect|control|water|delete|"
    r"transfer|reserve|schedule|fulfil|fulfill|execute|recall|identify|verify|directly|physically|actually|interact)"
)
_MEANS = r"(?:access|information|data|ability|capability|knowledge|way|means|tool|memory|record)"
_ABLE = r"(?:can(?:no|')?t|can not|unable to|not able to|not capable of|don't know how to|am not allowed to)"
_DECLINES = tuple(
    re.compile(pattern)
    for pattern in (
        r"^\W*cannot:",
        rf"\b(?:i|we)(?:'m| am| are)?(?: \w+)? {_ABLE} (?:\w+ )?{_ACTION}",
        rf"\b(?:i|we) (?:currently )?(?:do not|don't) (?:currently |actually )?have (?:[\w-]+ ){{0,3}}{_MEANS}",
        r"\b(?:i|we) (?:do not|don't) know\b",
        rf"\b(?:i|we) have no (?:\w+ )?(?:idea|{_MEANS})",
        rf"^\W*(?:sorry, )?unable to {_ACTION}",
        r"\bimpossible for me\b",
        r"\b(?:is|are|it's) not (?:possible|available|known|stored|provided)\b",
        r"\b(?:no|without) (?:\w+ )?(?:access to|tool|way to|information about|information on|real-time)",
        r"\bnot have (?:the )?(?:ability|capability|access|information)",
        r"\bthere is no (?:information|record|tool|way|data)",
        r"\b(?:beyond|outside) my (?:\w+ )?(?:capabilities|abilities|knowledge)",
        r"\bnot (?:a |the )?(?:person|device|tool) (?:that|who) can\b",
        r"\bkann ich (?:\w+ ){0,4}(?:nicht|keine|kein|keinen)\b",
        r"\bich kann (?:\w+ ){0,6}(?:nicht|keine|kein|keinen)\b",
        r"\b(?:habe|besitze) (?:\w+ ){0,3}keinen? (?:zugriff|zugang|information|informationen|moeglichkeit|daten)",
        r"\bweiss ich (?:\w+ ){0,2}nicht\b|\bich weiss (?:\w+ ){0,2}nicht\b",
        r"\bleider nicht (?:sagen|wissen|beantworten|tun|helfen)\b|\bgeht (?:\w+ )?nicht\b|\bnicht verfuegbar\b",
        r"\bnicht in der lage\b|\bist (?:mir )?nicht (?:moeglich|bekannt)\b|\bnicht moeglich\b",
        r"\bkein(?:en|e)? (?:werkzeug|zugriff|zugang|moeglichkeit)\b",
    )
)

_REFUSAL = re.compile(rf"^\W*cannot:|\bi(?:'m| am)? {_ABLE} (?:assist|help|fulfill?|comply)(?: you)? (?:with|in)\b")


def plain(text: str) -> str:
    """The text for comparison: case-folded, simple quotes, no accents, ä ö ü ß in two letters, single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    for letter, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("\u2019", "'"), ("\u2018", "'"), ("\u2212", "-")):
        folded = folded.replace(letter, letters)
    bare = "".join(each for each in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(each))
    return "\n".join(" ".join(line.split()) for line in bare.splitlines())


def words(text: str) -> list[str]:
    """The words and numerals of a text, for comparison."""
    return re.findall(r"\w+", plain(text))


def read_numerals(text: str) -> list[set[float]]:
    """The values of each number in digits, in the order of the text: "1,200" may be 1200 or 1.2."""
    return [readings for numeral in _NUMERAL.findall(text) if (readings := _readings(numeral))]


def _readings(numeral: str) -> set[float]:
    """The values of a numeral, with the comma or the point as the decimal mark."""
    text = re.sub(r"[\u202f']", "", numeral).replace("\u2212", "-")
    styles = ((",", "."), (".", ","))
    return {float(value) for drop, mark in styles if (value := _in_style(text, drop, mark)) is not None}


def _in_style(text: str, thousands: str, mark: str) -> str | None:
    whole, _, decimals = text.partition(mark)
    if mark in decimals or thousands in decimals:
        return None
    if thousands in whole and not re.fullmatch(rf"-?\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+", whole):
        return None
    return whole.replace(thousands, "") + (f".{decimals}" if decimals else "")


def find_dates(text: str) -> list[tuple[int | None, int, int]]:
    """Every date in a text as year, month, day, in the order of the text; the year is None if it is not written.

    A date in digits with strokes is read in both orders.
    """
    compared = plain(text)
    found = [
        (match.start(), each) for pattern in _DATES for match in pattern.finditer(compared) for each in _as_date(match)
    ]
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def _as_date(match: re.Match[str]) -> Iterator[tuple[int | None, int, int]]:
    month = match["month"]
    number = int(month) if month.isdigit() else _MONTH_NUMBERS.get(month, 0)
    year, day = int(match["year"]) if match["year"] else None, int(match["day"])
    try:
        date(year or 2000, number, day)
    except ValueError:
        return
    yield year, number, day


def declines(text: str) -> bool:
    """Whether a text says that its writer cannot know or do what was asked for."""
    compared = " ".join(plain(text).split())
    return any(pattern.search(compared) for pattern in _DECLINES)


def refuses(text: str) -> bool:
    """Whether a text only says that its writer will not help; narrower than `declines`, for answers of any kind."""
    compared = " ".join(plain(text).split())
    return _REFUSAL.search(compared) is not None
