"""The parts of a short story with dates and times: its moments, its lengths of time, and what it asks for. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.arithmetic_requests import has_number_word
from aeon.tools.date_requests import MAX_REQUEST, compiled, plain_text, without_weekdays

Arguments = dict[str, str | None]
"""What the tool for dates is called with: `start` and `add`, or `start` and `until`. `before`: it is counted back."""

WHEN = (
    r"\b(?:when|what time|(?:which|what) (?:date|(?:week)?day)|wann|um wie ?viel uhr"
    r"|an welchem (?:(?:wochen)?tag|datum)|welche[sm] datum)\b"
)
"""A pattern for a question that asks when something is."""
ENDS = (
    r"(?:ends?|over|finish(?:es|ed)?|arrives?|arrival|ready|done|back|due|expires?|come|endet|ende|fertig|ankommen|ankunft"
    r"|kommt\b.*\ban|vorbei|zurück|fällig|(?:es|er|sie) da)"
)
STARTS = (
    r"(?:start|begin|anfangen|beginnen|(?:must|have to|should|need to|muss|soll|müssen)\b[^.!?]*\b(?:leave|go"
    r"|set (?:off|out)|get up|be (?:there|at)|los|losfahren|losgehen|gehen|aufbrechen|aufstehen|da sein))"
)
IN_TIME = (
    r"\b(?:(?:over|done|ready|finished|there|home|back|at) (?:by|at)|be (?:there|at|in)|arrives?|end(?:s|ed)? at"
    r"|da sein|ankommen|fertig sein|zu ende sein|endete? um)\b"
)
"""Words of a moment by which something is over."""
BACK = r"<lengths> (?:before|earlier|beforehand|in advance|vorher|davor|zuvor|früher)\b"
SHIFTED = r"\b(?:before|late[rst]*|delay\w*|ago|earli\w+|leave|vor|spät\w*|früh\w*|verspät\w*|losfahren|aufbrechen)\b"
"""Words of what comes late, or is counted back."""

_LONG = r"\b(?:how long|how many (?:hours|minutes|days)|wie lange|wie ?viele (?:stunden|minuten|tage))\b"
_OLD = r"\b(?:how old|what age|wie alt)\b"
_LAST = (
    r"\b(?:arrival|ankunft(?:szeit)?|(?:last|latest|due) (?:possible )?(?:date|day)|deadline"
    r"|letzter? (?:möglicher? )?tag|frist)\b"
)
_EARLY_IN_THE_EVENING = (
    r"(?<!\d)0?\d(?::\d\d)?(?! ?[ap]m\b)(?: uhr)? (?:in the (?:afternoon|evening)|at night|tonight|abends|nachmittags"
    r"|am (?:abend|nachmittag))\b|\b(?:tonight|this (?:evening|afternoon)|heute (?:abend|nachmittag)) (?:at |um )?"
    r"0?\d(?!\d)(?::\d\d)?(?! ?[ap]m\b)"
)
"""A clock time of the second half of a day that is written as one of the first: "6:55 in the evening"."""
_JOINED = LazyPattern(r"(?:\s|[,.]|\band\b|\bund\b)+$", re.IGNORECASE)
"""What joins a length to what follows it."""
_TODAY_IS = LazyPattern(r"\b(?:today is|heute(?: ist)?(?: der)?) (?=\d)", re.IGNORECASE)
_WORKING_WEEK = LazyPattern(
    r"\s*\((?:mon(?:day)?(?: ?[-\u2013] ?| to | through )fri(?:day)?(?: count)?"
    r"|mon?(?:tag)?(?: ?[-\u2013] ?| bis )fr(?:eitag)?)(?=[,)])[^()\d]{0,80}\)",
    re.IGNORECASE,
)
"""An aside that says which days are working days, as all take them."""


class Story(NamedTuple):
    """A request, and what it has: moments with the text before each, and lengths."""

    text: str
    moments: Sequence[str]
    before: Sequence[str]
    lengths: Sequence[str]

    def has(self, pattern: str) -> bool:
        """Whether the text has a pattern of `compiled`."""
        return has(pattern, self.text)

    @property
    def is_pair(self) -> bool:
        """Whether it has one moment and one length."""
        return len(self.moments) == len(self.lengths) == 1

    @property
    def statement(self) -> str:
        """The text without the question for a moment."""
        return compiled(rf"{WHEN}[^.!?,]*").sub(" ", self.text)


def read_story(request: str) -> Story | None:
    """The parts of a request that asks for a moment, a length or an age; None if it has a number that is in none."""
    text = _WORKING_WEEK.sub("", _TODAY_IS.sub("it is ", without_weekdays(plain_text(request))))
    if len(text) > MAX_REQUEST or not any(has(pattern, text) for pattern in (WHEN, _LONG, _OLD, _LAST)):
        return None
    moments = [*compiled("<moment>").finditer(text)]
    rest = compiled("<moment>").sub(" ; ", text)
    lengths = [_JOINED.sub("", match[0]).strip() for match in compiled("<lengths>").finditer(rest)]
    rest = compiled("<lengths>").sub(" ; ", rest)
    if not moments or re.search(r"\d", rest) or has_number_word(rest) or has(_EARLY_IN_THE_EVENING, text):
        return None
    starts = [0, *(match.end() for match in moments)]
    before = [text[start : match.start()] for start, match in zip(starts, moments, strict=False)]
    return Story(text, [match[0].strip() for match in moments], before, lengths)


def has(pattern: str, text: str) -> bool:
    """Whether a text has a pattern of `compiled`."""
    return compiled(pattern).search(text) is not None
