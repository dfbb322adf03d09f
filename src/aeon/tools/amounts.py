"""Amounts as people write them, as one number: "2 1/2 cups", "5 foot 11", "12 stone 7", "two weeks". Pure."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.moments import SMALL_NUMBERS

_MAX_DECIMALS: Final = 3
_VULGAR: Final = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}
_WHOLE: Final = r"(?<![\w.,/:-])(\d{1,4})"

_VULGAR_SIGN: Final = LazyPattern(f"[{''.join(_VULGAR)}]")
_MIXED: Final = LazyPattern(rf"{_WHOLE} (\d{{1,3}})/([1-9]\d{{0,2}})(?![\w/,]|\.\d)")
_FEET: Final = LazyPattern(
    rf"{_WHOLE} ?(?:'|feet|foot|ft\.?|fu(?:ß|ss)) ?(?:and |und )?((?:1[01]|\d)(?:\.5)?)(?![\w/]|[.,:]\d| ?%)"
    r"(?: ?(?:\"|''|inch(?:es)?\b|zoll\b)| in\b(?= (?:in|to|into|as)\b|\W*$))?",
    re.IGNORECASE,
)
"""Where "in" comes before another unit, it is not an inch: "5 ft 3 in cm"."""
_STONE: Final = LazyPattern(
    rf"{_WHOLE} ?(?:stone|st) ?(?:and )?(1[0-3]|\d)(?![\w/]|[.,:]\d| ?%)(?: ?(?:pounds?|lbs?)\b)?", re.IGNORECASE
)
_POUNDS: Final = LazyPattern(rf"{_WHOLE} ?(?:pounds?|lbs?) ?(?:and )?(1[0-5]|\d) ?(?:ounces?|oz)(?!\w)", re.IGNORECASE)
_IN_WORDS: Final = LazyPattern(
    rf"\b({'|'.join(each for each, number in SMALL_NUMBERS.items() if number > 1)})(?= [a-zäöü°])", re.IGNORECASE
)


def as_single_numbers(text: str) -> str:
    """A text whose amounts of two parts are one number of the smaller unit, and whose small numbers are digits."""
    text = _IN_WORDS.sub(lambda word: str(SMALL_NUMBERS[word[0].casefold()]), text)
    text = _VULGAR_SIGN.sub(lambda sign: f" {_VULGAR[sign[0]]}", text)
    text = _MIXED.sub(_with_fraction, text)
    for pattern, factor, unit in ((_FEET, 12, "inches"), (_STONE, 14, "pounds"), (_POUNDS, 16, "ounces")):
        text = pattern.sub(_joined(factor, unit), text)
    return text


def _with_fraction(mixed: re.Match[str]) -> str:
    value = int(mixed[1]) + Fraction(int(mixed[2]), int(mixed[3]))
    decimal = f"{float(value):.{_MAX_DECIMALS}f}"
    return decimal.rstrip("0").rstrip(".") if Fraction(decimal) == value else f"{value.numerator}/{value.denominator}"


def _joined(factor: int, unit: str) -> Callable[[re.Match[str]], str]:
    return lambda parts: f"{factor * int(parts[1]) + float(parts[2]):g} {unit}"
