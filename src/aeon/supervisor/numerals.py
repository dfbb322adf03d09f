"""The numbers in a text: in digits, English or German style, and in English or German words (core 18)."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.number_words import find_english_numbers

_NUMERAL = LazyPattern(r"(?<![\w.,])-?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+\b)?", re.ASCII)
_GROUP_SPACE = LazyPattern(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
"""A space that breaks no line groups digits: 3\u202f000."""
_WITH_DIGIT = LazyPattern(r"(?<!\S)\S*\d\S*")
_WORD = LazyPattern(r"[^\W\d_]+")
_ENGLISH = LazyPattern(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_GERMAN = LazyPattern(r"-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?(?:[eE][-+]?\d+)?", re.ASCII)

_MIXED = LazyPattern(r"(?<!\S)(\S{1,40}) and (?:a|one) (half|quarter)\b", re.IGNORECASE)
_ENDINGS = {"half": 0.5, "quarter": 0.25}
_AND_A_HALF = "einhalb"

_UNITS = "eins zwei drei vier fuenf sechs sieben acht neun"
_TEENS = "zehn elf zwoelf dreizehn vierzehn fuenfzehn sechzehn siebzehn achtzehn neunzehn"
_TENS = "zwanzig dreissig vierzig fuenfzig sechzig siebzig achtzig neunzig"
_MILLIONS = ("million", "millionen")
_ARTICLES = ("ein", "eine", "einer")


def find_numbers(text: str) -> set[float]:
    """Every complete number in `text`; a part of another number or word does not count.

    "Two and a half" is 2 and 2.5.
    """
    words = _WITH_DIGIT.sub(" ; ", text)
    mixed = {
        number + _ENDINGS[ending.lower()] for whole, ending in _MIXED.findall(text) for number in find_numbers(whole)
    }
    return find_digit_numbers(text) | find_english_numbers(words) | set(_in_german(words)) | mixed


def find_digit_numbers(text: str) -> set[float]:
    """Every complete number in digits in `text`, in English or German style."""
    joined = _GROUP_SPACE.sub("", text)
    return {number for match in _NUMERAL.finditer(joined) for number in _read(match[0])}


def _read(numeral: str) -> Iterator[float]:
    """The values of a numeral, in either style; "1,2,3" is three numbers, "1.2.3" none."""
    is_number = False
    for style, thousands, point in ((_ENGLISH, ",", "."), (_GERMAN, ".", ",")):
        if style.fullmatch(numeral):
            is_number = True
            yield float(numeral.replace(thousands, "").replace(point, "."))
    if not is_number and "." not in numeral:
        yield from map(float, numeral.split(","))


def _in_german(text: str) -> Iterator[float]:
    before: float | None = None
    for match in _WORD.finditer(text):
        word = _normalized(match[0])
        if word in _MILLIONS and before is not None:
            yield before * 1_000_000
        number = _german(word)
        if number is not None:
            yield number
        before = 1 if word in _ARTICLES else number


def _normalized(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().replace("ü", "ue").replace("ö", "oe")


def _german(word: str) -> float | None:
    """The number below a million in one German word, or None; an article is not a number."""
    known = _below_thousand()
    if word.endswith(_AND_A_HALF) and (whole := known.get(word.removesuffix(_AND_A_HALF))) is not None:
        return whole + 0.5
    if word == "anderthalb":
        return 1.5
    thousands, mark, rest = word.partition("tausend")
    if not mark:
        return known.get(word)
    high = 1 if thousands in ("", "ein") else known.get(thousands)
    low = 0 if not rest else known.get(rest.removeprefix("und"))
    return None if high is None or low is None else 1000 * high + low


@cache
def _below_thousand() -> dict[str, int]:
    units = dict(zip(_UNITS.split(), range(1, 10), strict=True))
    small = units | dict(zip(_TEENS.split(), range(10, 20), strict=True))
    for tens, name in enumerate(_TENS.split(), 2):
        small[name] = 10 * tens
        small |= {f"{_bound(unit)}und{name}": 10 * tens + value for unit, value in units.items()}
    words = small | {"null": 0, "zwo": 2}
    for unit, value in [("", 1), *units.items()]:
        words[f"{_bound(unit)}hundert"] = 100 * value
        for name, rest in small.items():
            for joint in ("", "und"):
                words[f"{_bound(unit)}hundert{joint}{name}"] = 100 * value + rest
    return words


def _bound(unit: str) -> str:
    """A unit as the first part of a longer word: "ein" for "eins"."""
    return "ein" if unit == "eins" else unit
