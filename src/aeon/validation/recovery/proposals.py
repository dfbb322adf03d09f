"""Lenient readings of a malformed passage. Each proposes a value or None; `audit.is_spelling_of` must confirm it."""

import json
import re
from itertools import accumulate

from aeon.base.json import MAX_DEPTH, Json, unescape_json
from aeon.base.lazy_pattern import LazyPattern

SPACE = r"[\s\u200b-\u200d\u2060\ufeff]"
"""Whitespace, and the invisible characters that editors and models leave between tokens."""

COMMENT = r"//[^\n]*|/\*.*?\*/|\#[^\n]*"

GAP = LazyPattern(f"(?:{SPACE}|{COMMENT})*+", re.DOTALL)
"""The text that is allowed between two tokens, read in one way only, so that no row of slashes takes long."""

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
"""Words for a JSON literal, in the spellings of other languages.

Without quotes they are never strings: the text "none" would turn a missing value into a given one.
"""

NON_STRING_WORDS = frozenset(LITERALS) | {"NaN", "Infinity"}
"""Bare words that are never strings with forgotten quotes, except as keys."""

NUMBER = LazyPattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
NAME = LazyPattern(r"[^\W\d][\w$-]*|\$[\w$-]*")
"""A key, or a one-word value, without quotes."""

_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = LazyPattern(r"\\u([0-9a-fA-F]{4})")


def unescape(text: str, at: int) -> tuple[str, int] | None:
    r"""The character of the escape at `at`, and the escape's end; None if it is not an escape.

    A quote of any kind may be escaped: `\“` is an escaped `"` that the writer's software made curly.
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
    """The string with the content `body`; None if it contains an undefined escape."""
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
        unescaped = unescape(body, at)
        if unescaped is None:
            return None
        parts.append(unescaped[0])
        at = unescaped[1]
    return "".join(parts)


_TOKEN = LazyPattern(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|[“”„](?:[^“”„\\]|\\.)*[“”]|[\u2018\u2019](?:[^\u2018\u2019\\]|\\.)*[\u2018\u2019])"""
    rf"|(?P<comment>{COMMENT})|(?P<space>{SPACE}+)"
    r"""|(?P<mark>[{}\[\]:,])|(?P<word>[^\s"'`“”„\u2018\u2019{}\[\]:,\u200b-\u200d\u2060\ufeff]+)""",
    re.DOTALL,
)
MAX_REPAIR = 50_000
"""Characters passed to json-repair; its time grows with the square of the nesting, so depth is bounded too."""

_PUNCTUATION = LazyPattern(r"[}\],:]")
_BEFORE_VALUE = LazyPattern(f"{GAP.pattern}:", re.DOTALL)
_BRACKET = LazyPattern(r"[{}\[\]]")
_OPENS = "{["
_CLOSES = "}]"


def normalize_tokens(text: str) -> str | None:
    """Rewrites tokens into strict JSON: quotes, bare words, literals, comments, commas, control characters.

    Returns None if a token has no single strict spelling.
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
    """Appends a token; removes a trailing comma before it, or adds a forgotten one."""
    last = out[-1] if out else ""
    if token in _CLOSES and last == ",":
        out.pop()
    elif last and last not in "{[:," and not _PUNCTUATION.fullmatch(token):
        out.append(",")
    out.append(token)


def find_balanced_end(text: str, start: int) -> int | None:
    """The end of the bracket at `start`, with lenient tokens; None if it never closes."""
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
    """The json-repair library's reading of `text`. Raises ValueError if it fails or would take too long."""
    if len(text) > MAX_REPAIR or _depth(text) > MAX_DEPTH:
        raise ValueError("too long or too deep for json-repair")
    from json_repair import loads

    try:
        return loads(text, skip_json_loads=True)
    except Exception as error:  # a heuristic parser on hostile text: every exception means "not readable"
        raise ValueError(str(error)) from error


def _depth(text: str) -> int:
    """The depth of the brackets, including those in strings."""
    steps = (1 if found[0] in _OPENS else -1 for found in _BRACKET.finditer(text))
    return max(accumulate(steps), default=0)
