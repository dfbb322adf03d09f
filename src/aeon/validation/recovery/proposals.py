"""Ways to read a malformed passage. Each proposes a value or None; none is believed before `audit.spells`."""

import json
import re
from itertools import accumulate

from aeon.base.json import MAX_DEPTH, Json, unescape_json

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


_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|[“”„](?:[^“”„\\]|\\.)*[“”]|[\u2018\u2019](?:[^\u2018\u2019\\]|\\.)*[\u2018\u2019])"""
    rf"|(?P<comment>{COMMENT})|(?P<space>{SPACE}+)"
    r"""|(?P<mark>[{}\[\]:,])|(?P<word>[^\s"'`“”„\u2018\u2019{}\[\]:,\u200b-\u200d\u2060\ufeff]+)""",
    re.DOTALL,
)
MAX_REPAIR = 50_000
"""Characters handed to json-repair; its time grows with the square of the nesting, so depth is bounded too."""

_PUNCTUATION = re.compile(r"[}\],:]")
_BEFORE_VALUE = re.compile(f"{GAP.pattern}:", re.DOTALL)
_BRACKET = re.compile(r"[{}\[\]]")
_OPENS = "{["
_CLOSES = "}]"


def normalize_tokens(text: str) -> str | None:
    """Rewrite token by token into strict spelling: quotes, bare words, literals, comments, commas, control characters.

    None where a token has no single strict spelling.
    """
    out: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return None
        at = found.end()
        token = _strict_token(found)
        if token is None:
            return None
        if token:
            _append(out, token)
    return "".join(out)


def _strict_token(found: re.Match[str]) -> str | None:
    token = found[0]
    if found.lastgroup in {"space", "comment"}:
        return ""
    if found.lastgroup == "mark":
        return token
    if found.lastgroup == "string":
        body = decode_string(token[1:-1])
        return None if body is None else json.dumps(body)
    if token in LITERALS and not _BEFORE_VALUE.match(found.string, found.end()):
        return LITERALS[token]
    if NUMBER.fullmatch(token):
        return token
    return json.dumps(token) if NAME.fullmatch(token) else None


def _append(out: list[str], token: str) -> None:
    """Add a token, minus a trailing comma before it, plus a forgotten comma before it."""
    last = out[-1] if out else ""
    if token in _CLOSES and last == ",":
        out.pop()
    elif last and last not in "{[:," and not _PUNCTUATION.fullmatch(token):
        out.append(",")
    out.append(token)


def find_balanced_end(text: str, start: int) -> int | None:
    """Where the bracket at `start` closes when tokens are read leniently; None when it never does."""
    depth = 0
    at = start
    while found := _TOKEN.match(text, at):
        at = found.end()
        if found.lastgroup == "mark":
            depth += (found[0] in _OPENS) - (found[0] in _CLOSES)
            if depth == 0:
                return at
    return None


def json_repair_value(text: str) -> Json:
    """What the json-repair library makes of `text`; raises ValueError when it gives up or would take too long."""
    if len(text) > MAX_REPAIR or _depth(text) > MAX_DEPTH:
        raise ValueError("too long or too deep for json-repair")
    from json_repair import loads

    try:
        return loads(text, skip_json_loads=True)
    except Exception as error:  # a heuristic parser on hostile text: whatever it raises means "not read"
        raise ValueError(str(error)) from error


def _depth(text: str) -> int:
    """How deep the brackets go, those in strings included."""
    steps = (1 if found[0] in _OPENS else -1 for found in _BRACKET.finditer(text))
    return max(accumulate(steps), default=0)
