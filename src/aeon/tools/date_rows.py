"""Rows of moments at equal intervals, "every 3 weeks from 12 January on", of which a request asks for one. Pure."""

import re

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.date_requests import plain_text
from aeon.tools.dated_stories import Arguments, read_story

_ORDINALS = (
    ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
    ("zweite", "dritte", "vierte", "fünfte", "sechste", "siebte", "achte", "neunte", "zehnte", "elfte", "zwölfte"),
)
_PLACES = {word: place for words in _ORDINALS for place, word in enumerate(words, 2)}
"""Which one of a row a word names."""
_NTH = LazyPattern(
    r"(?P<question>\b(?:when|wann|what time|um wie ?viel uhr|(?:which|what) (?:date|day)|an welchem (?:tag|datum))\b"
    r"[^.!?]*?)"
    rf"\b(?:(?P<word>{'|'.join(_PLACES)})[nrs]?|(?P<digits>\d{{1,2}})(?:st|nd|rd|th)"
    r"|(?:number|no\.|nummer|nr\.) (?P<number>\d{1,2}))\b(?![^.!?]*\b(?:in|of|on|this|im|am|des|dieses)\b)",
    re.IGNORECASE,
)
"""Which one is asked for, of the whole row: not the second one in March."""
_EVERY = r"\b(?:every|each|alle|jede\w*) (?=<length>)"
_FIRST = (
    r"\b(?:first|1st|from|since|starting|beginning|starts?|begins?|erste\w*|ab|von|seit|beginnend|beginnt|startet)\b"
)
"""Words of the moment that begins a row."""
_OTHERWISE = (
    r"\b(?:last|next|after|skip\w*|except|miss\w*|holiday\w*|break|letzte\w*|nächste\w*|nach|außer|ausgenommen|ferien"
    rf"|{'|'.join(_PLACES)})[nrs]?\b"
)
"""Words of a row with gaps, or that begins elsewhere."""


def read_row(request: str) -> Arguments | None:
    """The first moment of a row and the time from it to the one that is asked for; None if code does not see them."""
    text = plain_text(request)
    nth = _NTH.search(text)
    if nth is None:
        return None
    story = read_story(f"{text[: nth.end('question')]} one {text[nth.end() :]}")
    is_row = story is not None and story.is_pair and story.has(_EVERY) and story.has(_FIRST)
    if story is None or not is_row or story.has(_OTHERWISE):
        return None
    place = _PLACES[nth["word"].casefold()] if nth["word"] else int(nth["digits"] or nth["number"])
    return {"start": story.moments[0], "add": " ".join([story.lengths[0]] * (place - 1))} if place > 1 else None
