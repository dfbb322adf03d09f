"""Ways to read a malformed passage. Each proposes a value or None; none is believed before `audit.spells`."""

import json
import re
from itertools import accumulate

from aeon.base.json import MAX_DEPTH, Json
from aeon.validation.recovery.spelling import COMMENT, GAP, LITERALS, NAME, NUMBER, SPACE, decode_string

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
