"""Short stories with dates and times that code can read: when a thing ends or must begin, how long it lasts, an age.

Each has just the dates, clock times and lengths that it needs, and no other number: code does not understand more.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.arithmetic_requests import has_number_word
from aeon.tools.date_requests import MAX_REQUEST, compiled, plain_text, without_weekdays

Arguments = dict[str, str | None]
"""What the tool for dates is called with: `start` and `add`, or `start` and `until`. `before`: it is counted back."""

_WHEN = (
    r"\b(?:when|what time|(?:which|what) (?:date|(?:week)?day)|wann|um wie ?viel uhr"
    r"|an welchem (?:(?:wochen)?tag|datum)|welche[sm] datum)\b"
)
_ENDS = (
    r"(?:ends?|over|finish(?:es|ed)?|arrives?|ready|done|back|due|expires?|come|endet|ende|fertig|ankommen|ankunft"
    r"|kommt\b.*\ban|vorbei|zurück|fällig|(?:es|er|sie) da)"
)
_IN = r"\b(?:what|which|welches) (?:date|datum)\b.*\bin <length>"
_STARTS = (
    r"(?:start|begin|anfangen|beginnen|(?:must|have to|should|need to|muss|soll|müssen)\b[^.!?]*\b(?:leave|go"
    r"|set (?:off|out)|get up|be (?:there|at)|los|losfahren|losgehen|gehen|aufbrechen|aufstehen|da sein))"
)
_QUESTION = rf"{_WHEN}[^.!?,]*"
_IN_TIME = (
    r"\b(?:(?:over|done|ready|finished|there|home|back|at) (?:by|at)|be (?:there|at|in)|arrives?|end(?:s|ed)? at"
    r"|da sein|ankommen|fertig sein|zu ende sein|endete? um)\b"
)
_BACK = r"<lengths> (?:before|earlier|beforehand|in advance|vorher|davor|zuvor|früher)\b"
_UNCLEAR = (
    r"\b(?:breaks?|pause\w*|each|every|times|per|local|zone|jede\w*|ortszeit|sta(?:y|ys|yed)|stops?|waits?"
    r"|bleib\w*|hält|wartet|^(?:who|wer)|(?:and|und) (?:who|why|where|what|wer|warum|wo|was))\b"
)
"""Words with which a time is not simply added or taken off."""
_SHIFTED = r"\b(?:before|late[rst]*|delay\w*|ago|earli\w+|leave|vor|spät\w*|früh\w*|verspät\w*|losfahren|aufbrechen)\b"
"""Words of what comes late, or is counted back."""

_LONG = r"\b(?:how long|how many (?:hours|minutes|days)|wie lange|wie ?viele (?:stunden|minuten|tage))\b"
_FROM = (
    r"\b(?:from|between|starts?|started|begins?|began|opens?|opened|leaves?|left|departs?|slept|it is|it's|von"
    r"|zwischen|beginnt|begann|öffnet|es ist)\b"
)
_TO = (
    r"\b(?:until|till|to|ends?|ended|closes?|closed|finish(?:es|ed)?|arrives?|arrived|over|woke|is at|bis"
    r"|endet\w*|schließt|kommt|an)\b"
)
_AT_THE_END = r"\b(?:until|till|ends?|ended|closes?|finish\w*|arriv\w*|woke|bis|endet\w*|schließt)\b"
_EVERY = r"\b(?:every|each|alle|jede\w*) (?=<length>)"
_PLACES = {
    **dict.fromkeys(("second", "zweite"), 1),
    **dict.fromkeys(("third", "dritte"), 2),
    **dict.fromkeys(("fourth", "vierte"), 3),
    **dict.fromkeys(("fifth", "fünfte"), 4),
    **dict.fromkeys(("sixth", "sechste"), 5),
}
"""How many intervals lie before one of a row."""
_NTH = rf"\b(?:when|wann|what time|um wie ?viel uhr)\b[^.!?]*\b(?P<nth>{'|'.join(_PLACES)})[nrs]?\b"
_WEEKDAY = r"\b(?:weekday|day of the week|wochentag)\b"
_OLD = r"\b(?:how old|what age|wie alt)\b"

_JOINED = LazyPattern(r"(?:\s|[,.]|\band\b|\bund\b)+$", re.IGNORECASE)
"""What joins a length to what follows it."""
_TODAY_IS = LazyPattern(r"\b(?:today is|heute(?: ist)?(?: der)?) (?=\d)", re.IGNORECASE)


class _Story(NamedTuple):
    """A request, and what it has: moments with the text before each, and lengths."""

    text: str
    moments: Sequence[str]
    before: Sequence[str]
    lengths: Sequence[str]


def read_problem(request: str) -> Arguments | None:
    """The dates, times and lengths of a story that asks for one more; None if code does not understand all of it."""
    story = _read(request)
    if story is None:
        return None
    if (found := _read_nth(story)) is not None or _has(_UNCLEAR, story.text):
        return found
    readers = (_read_end, _read_start, _read_span, _read_age, _read_weekday)
    return next((found for reader in readers if (found := reader(story)) is not None), None)


def _read(request: str) -> _Story | None:
    """The parts of a request; None if it has a number that is in none of them."""
    text = _TODAY_IS.sub("it is ", without_weekdays(plain_text(request)))
    if len(text) > MAX_REQUEST or not (_has(_WHEN, text) or _has(_LONG, text) or _has(_OLD, text)):
        return None
    moments = [*compiled("<day>|<clock>").finditer(text)]
    rest = compiled("<day>|<clock>").sub(" ; ", text)
    lengths = [_JOINED.sub("", match[0]).strip() for match in compiled("<lengths>").finditer(rest)]
    rest = compiled("<lengths>").sub(" ; ", rest)
    if not moments or re.search(r"\d", rest) or has_number_word(rest):
        return None
    starts = [0, *(match.end() for match in moments)]
    before = [text[start : match.start()] for start, match in zip(starts, moments, strict=False)]
    return _Story(text, [match[0].strip() for match in moments], before, lengths)


def _read_end(story: _Story) -> Arguments | None:
    """A film of 2 hours 20 minutes starts at 20:15. When does it end?"""
    is_asked = _has(rf"{_WHEN}[^.!?]*\b{_ENDS}\b", story.text) or _has(_IN, story.text)
    if not is_asked or not _is_pair(story) or _has(_SHIFTED, story.text) or _has(_BACK, story.text):
        return None
    if _has(_IN_TIME, story.before[0]) or _has(_AT_THE_END, story.before[0]):
        return None
    return {"start": story.moments[0], "add": story.lengths[0]}


def _read_start(story: _Story) -> Arguments | None:
    """I must be there at 9:00, and it takes 40 minutes. When must I leave?"""
    is_asked = _has(rf"{_WHEN}[^.!?]*\b{_STARTS}\b", story.text)
    told = compiled(_QUESTION).sub(" ", story.text)
    if not is_asked or not _is_pair(story) or not (_has(_IN_TIME, told) or _has(_BACK, told)):
        return None
    return {"start": story.moments[0], "add": story.lengths[0], "before": "before"}


def _read_span(story: _Story) -> Arguments | None:
    """The film begins at 20:15 and ends at 22:40. How long is it?"""
    if len(story.moments) != 2 or story.lengths or not _has(_LONG, story.text):  # noqa: PLR2004  # a beginning and an end
        return None
    first, second = story.moments
    to = rf"{_TO}|\b(?:and|und)\b" if _has(r"\b(?:between|zwischen)\b", story.before[0]) else _TO
    if _has(_FROM, story.before[0]) and _has(to, story.before[1]) and not _has(_AT_THE_END, story.before[0]):
        return {"start": first, "until": second}
    if _has(_AT_THE_END, story.before[0]) and _has(_FROM, story.before[1]):
        return {"start": second, "until": first}
    return None


def _read_age(story: _Story) -> Arguments | None:
    """How old is someone on 1 January 2027 who was born on 12 March 1985?"""
    if not _has(_OLD, story.text) or story.lengths or len(story.moments) > 2:  # noqa: PLR2004  # a birth and a day
        return None
    births = [
        moment
        for moment, before in zip(story.moments, story.before, strict=True)
        if _has(r"\b(?:born|geboren)\b[^.!?\d]{0,12}$", before) or f"{moment} geboren" in story.text
    ]
    if len(births) != 1:
        return None
    others = [moment for moment in story.moments if moment != births[0]]
    return {"start": births[0], "until": others[0] if others else "today"}


def _read_weekday(story: _Story) -> Arguments | None:
    """On which day of the week was the moon landing of 20 July 1969?"""
    is_asked = _has(_WEEKDAY, story.text) and len(story.moments) == 1 and not story.lengths
    return {"start": story.moments[0]} if is_asked and _has(r"\d{4}", story.moments[0]) else None


def _read_nth(story: _Story) -> Arguments | None:
    """The ferry goes every 40 minutes from 7:15 on. When does the third one go? The first goes at 7:15."""
    nth = compiled(_NTH).search(story.text)
    is_row = nth is not None and _is_pair(story) and _has(_EVERY, story.text)
    if nth is None or not is_row or _has(r"\b(?:last|letzte\w*|next|nächste\w*|after|nach)\b", story.text):
        return None
    return {"start": story.moments[0], "add": " ".join([story.lengths[0]] * _PLACES[nth["nth"].casefold()])}


def _is_pair(story: _Story) -> bool:
    return len(story.moments) == len(story.lengths) == 1


def _has(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None
