"""The proof that a repaired value matches its text: every letter, digit and bracket, in order, none added."""

from typing import cast

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.base.lazy_pattern import LazyPattern
from aeon.validation.recovery.proposals import GAP, LITERALS, NAME, NON_STRING_WORDS, NUMBER, QUOTES, unescape

_ENDS = r"""\s*(?:[}\]]|,\s*(?:["'“\u2018`][^"'“”\u2018\u2019`\n]*["'”\u2019`]|[\w$]+)\s*:)"""
_COLON = LazyPattern(r"\s*:")
_MEMBER_END = LazyPattern(_ENDS)
_ITEM_END = LazyPattern(_ENDS + r"""|\s*,\s*["'“\u2018`{\[\d-]""")
_VALUE_MARKS = ",}]"


class _Differs(Exception):  # noqa: N818  # leaves the recursion, not an error
    pass


def is_spelling_of(text: str, value: Json) -> bool:
    """Whether `text` spells `value`, if only quotes, commas, comments, whitespace and the spelling of
    literals may differ from strict JSON (core 9). False if a bracket, key, letter or digit is added or missing.
    """
    try:
        return _gap(text, _read(text, _gap(text, 0), value, _MEMBER_END)) == len(text)
    except (_Differs, ValueError, RecursionError):
        return False


def _read(text: str, at: int, value: Json, ends: LazyPattern) -> int:
    if isinstance(value, dict):
        return _object(text, at, cast(JsonObject, value))
    if isinstance(value, list):
        return _array(text, at, cast("list[Json]", value))
    if isinstance(value, str):
        return _string(text, at, value, ends)
    if value is None or isinstance(value, bool):
        return _literal(text, at, value)
    return _number(text, at, value)


def _object(text: str, at: int, value: JsonObject) -> int:
    at = _mark(text, at, "{")
    for index, (key, item) in enumerate(value.items()):
        at = _separator(text, at, is_first=index == 0)
        at = _gap(text, _key(text, at, key))
        at = _read(text, _gap(text, _mark(text, at, ":")), item, _MEMBER_END)
    return _mark(text, _closing(text, at), "}")


def _array(text: str, at: int, value: list[Json]) -> int:
    at = _mark(text, at, "[")
    for index, item in enumerate(value):
        start = _separator(text, at, is_first=index == 0)
        if index and start == at and not _is_separated(text, at):
            raise _Differs
        at = _read(text, start, item, _ITEM_END)
    return _mark(text, _closing(text, at), "]")


def _separator(text: str, at: int, *, is_first: bool) -> int:
    """The position after the separator of two members: a comma, or nothing if it was forgotten."""
    after = _gap(text, at)
    return _gap(text, after + 1) if not is_first and text[after : after + 1] == "," else after


def _is_separated(text: str, at: int) -> bool:
    """Whether a bracket separates two items without comma and space; two strings could be one that contains quotes."""
    return text[at - 1 : at] in "}]" or text[at : at + 1] in "{["


def _closing(text: str, at: int) -> int:
    """The position after an optional trailing comma before a closing bracket."""
    at = _gap(text, at)
    return _gap(text, at + 1) if text[at : at + 1] == "," else at


def _gap(text: str, at: int) -> int:
    match = GAP.match(text, at)
    return at if match is None else match.end()


def _mark(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise _Differs
    return at + 1


def _key(text: str, at: int, key: str) -> int:
    return _string(text, at, key, _COLON)


def _string(text: str, at: int, value: str, ends: LazyPattern) -> int:
    closers = QUOTES.get(text[at : at + 1])
    if closers is None:
        return _bare_word(text, at, value)
    end = _content(text, at + 1, value, closers, ends)
    if text[end : end + 1] not in closers or end >= len(text):
        raise _Differs
    return end + 1


def _content(text: str, at: int, value: str, closers: str, ends: LazyPattern) -> int:
    """Matches letter by letter. An unescaped quote counts as content only where the string could not end."""
    if not any(mark in value for mark in (*closers, "\\")) and text.startswith(value, at):
        return at + len(value)
    for char in value:
        escaped = unescape(text, at) if text[at : at + 1] == "\\" else None
        if escaped is not None:
            if escaped[0] != char:
                raise _Differs
            at = escaped[1]
        elif text[at : at + 1] == char and not (char in closers and ends.match(text, at + 1)):
            at += 1
        else:
            raise _Differs
    return at


def _bare_word(text: str, at: int, value: str) -> int:
    match = NAME.match(text, at)
    if match is None or match[0] != value:
        raise _Differs
    after = _gap(text, match.end())
    if text[after : after + 1] not in ({":"} if value in NON_STRING_WORDS else {":", *_VALUE_MARKS}):
        raise _Differs
    return match.end()


def _literal(text: str, at: int, value: bool | None) -> int:
    match = NAME.match(text, at)
    if match is None or LITERALS.get(match[0]) != {None: "null", True: "true", False: "false"}[value]:
        raise _Differs
    return match.end()


def _number(text: str, at: int, value: float) -> int:
    match = NUMBER.match(text, at)
    if match is None or repr(parse_strict(match[0])) != repr(value):
        raise _Differs
    after = text[match.end() : match.end() + 1]
    if after not in {"", *_VALUE_MARKS, *QUOTES} and _gap(text, match.end()) == match.end():
        raise _Differs
    return match.end()
