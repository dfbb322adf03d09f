"""How models spell JSON's tokens when they do not keep to the standard. No decisions, only the forms."""

import re

from aeon.base.json import unescape_json

SPACE = r"[\s\u200b-\u200d\u2060\ufeff]"
"""Whitespace, and the invisible characters that editors and models leave between tokens."""

COMMENT = r"//[^\n]*|/\*.*?\*/|\#[^\n]*"

GAP = re.compile(f"(?:{SPACE}|{COMMENT})*", re.DOTALL)
"""What may stand between two tokens."""

QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "“”",
    "”": "”“",
    "„": "“”",
    "\u2018": "\u2018\u2019",
    "\u2019": "\u2019\u2018",
}
"""Every opening quote with the characters that may close it."""

LITERALS = {
    "true": "true",
    "True": "true",
    "TRUE": "true",
    "false": "false",
    "False": "false",
    "FALSE": "false",
    "undefined": "null",
    **dict.fromkeys(("null", "Null", "NULL", "none", "None", "NONE", "nil", "Nil", "NIL"), "null"),
}
"""Words that stand for a JSON literal, in the spellings of other languages.

Without quotes none is ever a string: the text "none" would pass off a missing value as a given one.
"""

NON_STRING_WORDS = frozenset(LITERALS) | {"NaN", "Infinity"}
"""Bare words that are never a string somebody forgot to quote; as keys they are."""

NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
NAME = re.compile(r"[^\W\d][\w$-]*|\$[\w$-]*")
"""A key, or a one-word value, that stands without quotes."""

_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = re.compile(r"\\u([0-9a-fA-F]{4})")


def unescape(text: str, at: int) -> tuple[str, int] | None:
    r"""The character that the escape at `at` stands for and where it ends; None when it is no escape.

    A quote of any kind may be escaped: where `\"` became `\“`, the writer's software curled an escaped `"`.
    """
    mark = text[at + 1 : at + 2]
    if mark in _SHORT:
        return _SHORT[mark], at + 2
    if mark == "u":
        return _unescape_hex(text, at)
    if mark and mark in "\\/\"'`":
        return mark, at + 2
    return ('"', at + 2) if mark and mark in "“”„" else None


def _unescape_hex(text: str, at: int) -> tuple[str, int] | None:
    high = _HEX.match(text, at)
    if high is None:
        return None
    code = int(high[1], 16)
    low = _HEX.match(text, at + 6) if 0xD800 <= code < 0xDC00 else None  # noqa: PLR2004  # the high surrogates
    if low is None or not 0xDC00 <= int(low[1], 16) < 0xE000:  # noqa: PLR2004  # the low surrogates
        return chr(code), at + 6
    return unescape_json(high[0] + low[0]), at + 12


def decode_string(body: str) -> str | None:
    """The string whose inside is spelt `body`; None when it holds an escape that nobody defines."""
    if "\\" not in body:
        return body
    parts: list[str] = []
    at = 0
    while at < len(body):
        if body[at] != "\\":
            run = body.find("\\", at)
            run = len(body) if run < 0 else run
            parts.append(body[at:run])
            at = run
            continue
        read = unescape(body, at)
        if read is None:
            return None
        parts.append(read[0])
        at = read[1]
    return "".join(parts)
