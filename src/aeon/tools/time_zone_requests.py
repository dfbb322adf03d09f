"""Patterns for requests that ask what a clock time of one place is in another: English, German, French."""

import re
from functools import cache
from typing import Final, NamedTuple

from aeon.tools.date_requests import CLOCK_TIME, MAX_REQUEST

CONVERT_TIME: Final = "convert_time"
"""The tool that says what a clock time of one place is in another."""

_TIME: Final = rf"(?P<time>{CLOCK_TIME}|\d{{1,2}}\.\d\d uhr|noon|midday|midnight|mittag|mitternacht)"
_PLACE: Final = r"[^\W\d][\w .'/-]*?"
_FROM: Final = rf"(?P<source>{_PLACE})"
_TO: Final = rf"(?P<target>{_PLACE})"
_WHAT: Final = r"what(?:'?s)?(?: is)?(?: the)?(?: local)?(?: time)?(?: (?:is|will|would) (?:it|that|this)(?: be)?)?(?: (?:in|for))?"
_WIE: Final = r"(?:wie spät|wie ?viel uhr|welche (?:uhr)?zeit)(?: ist (?:es|das))?(?: dann)?(?: in)?"
_IT_IS: Final = r"(?:it(?:'?s| is) |(?:the|my|our|a) \w+(?: \w+)? (?:is|starts|begins) (?:at )?)?"
_ES_IST: Final = r"(?:es (?:ist )?|ist es |(?:der|die|das|mein\w*|unser\w*) \w+ (?:ist|beginnt) (?:um )?)?"
_QUELLE: Final = "quelle heure est-il (?:à|a)"
_STOP: Final = "[,;.]?"
_FORMS: Final = (
    # It's 9 am in London, what time is it in New York; 15:00 in Berlin, what in Tokyo
    rf"(?:(?:if|when) )?{_IT_IS}{_TIME} (?:in )?{_FROM}(?: time)?{_STOP} (?:then )?{_WHAT} {_TO}",
    # What time is it in New York when it's 9 am in London
    rf"{_WHAT} {_TO}{_STOP} (?:if|when) {_IT_IS}{_TIME} (?:in )?{_FROM}(?: time)?",
    # What is 9 am London time in New York; convert 9 am London time to New York time
    rf"what(?:'?s| is| time is) {_TIME} (?:in )?{_FROM}(?: time)? in {_TO}(?: time)?",
    rf"convert {_TIME} (?:in |from )?{_FROM}(?: time)? (?:to|into) (?:the )?{_TO}(?: time)?",
    # Wenn es in Berlin 15 Uhr ist, wie spät ist es in Tokio; es ist 15 Uhr in Berlin, wie spät ...
    rf"(?:wenn )?{_ES_IST}(?:in )?{_FROM} {_TIME}(?: ist)?{_STOP} {_WIE} {_TO}",
    rf"(?:wenn )?{_ES_IST}{_TIME} (?:in )?{_FROM}(?: ist)?{_STOP} {_WIE} {_TO}",
    # Wie spät ist es in Tokio, wenn es in Berlin 15 Uhr ist
    rf"{_WIE} {_TO}{_STOP} wenn {_ES_IST}(?:in )?{_FROM} {_TIME}(?: ist)?",
    rf"{_WIE} {_TO}{_STOP} wenn {_ES_IST}{_TIME} (?:in )?{_FROM}(?: ist)?",
    # Quand il est 9:00 à Paris, quelle heure est-il à Tokyo
    rf"(?:quand |s['\u2019])?(?:il est )?{_TIME} (?:à|a) {_FROM}{_STOP} {_QUELLE} {_TO}",
    rf"{_QUELLE} {_TO}{_STOP} (?:quand |s['\u2019])il est {_TIME} (?:à|a) {_FROM}",
)


class TimeElsewhere(NamedTuple):
    """A clock time of one place, and the place where it is asked for."""

    time: str
    source: str
    target: str


def read_time_elsewhere(request: str) -> TimeElsewhere | None:
    """What a request that is nothing but the question for a time elsewhere asks; None for another request."""
    text = " ".join(request.split()).rstrip("?.! ").removesuffix(" please").removesuffix(" bitte")
    if len(text) > MAX_REQUEST or _compiled(_TIME).search(text) is None:
        return None
    found = (_compiled(form).fullmatch(text) for form in _FORMS)
    return next((TimeElsewhere(match["time"], match["source"], match["target"]) for match in found if match), None)


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form, re.IGNORECASE)
