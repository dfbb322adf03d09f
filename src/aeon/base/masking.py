"""Secrets never leave a run (platform 3): where one of them stands, something else is recorded."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from html.entities import codepoint2name
from itertools import product
from typing import NamedTuple, cast
from urllib.parse import quote

from aeon.base.json import Json, JsonObject

HIDDEN = "[hidden]"
"""What stands where a secret stood."""

_LEAST = 4
"""Characters of a secret that is hidden inside of words too, and of its rest where a text was cut in its middle."""

_LEAST_BYTES = 6
"""From here on a secret is recognised in the middle of base64."""

_LEAST_HEAD = 8
"""Characters of a secret's beginning that count as it at the end of a text: what quotes an answer cuts it there."""

_ARMOUR = "-----"
_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
_MOST_RUN = 4096
"""Characters of base64 on either side of a secret in it that are hidden with it."""

_WHITE = r"(?:\s|\+|\\{1,8}(?:u[0-9A-Fa-f]{4}|[a-z])|%(?:25)?[0-9A-Fa-f]{2}|&#?\w{1,6};)*"
"""White space of a secret may be written in many ways, or be gone."""
_BEFORE_WORD = r"(?:(?<![^\W_])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt])|(?<=\\u[0-9a-fA-F]{4}))"
_AFTER_WORD = r"(?![^\W_])"


class _Needle(NamedTuple):
    """One spelling of a secret. `is_inner` is that of base64, which stands between other characters of its kind."""

    spelled: str
    is_word: bool = False
    is_inner: bool = False


class Mask:
    """Replaces given secrets in text and JSON, object keys included, in whatever spelling they stand there.

    Those are: as they are, escaped for JSON, for a URL or for HTML, in hex, and in base64 also among other bytes; of a
    secret of several lines each line. One of less than four characters is replaced where it is a word of its own:
    replaced inside of other words, it would be told by what is missing.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Empty secrets are ignored. Of two where one contains the other, the longer is replaced first."""
        self._secrets = {secret for secret in secrets if secret}
        found = sorted(set(_needles(self._secrets)), key=lambda needle: (-len(needle.spelled), needle))
        self._needles = [(needle, _anchor(needle.spelled)) for needle in found]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to hide."""
        return not self._secrets

    def text(self, text: str) -> str:
        """`text` without the secrets, and without the first part of one at its very end."""
        return _masked_text(text, self._present(text))

    def tail(self, text: str) -> str:
        """The end of a text that may begin with the rest of a secret, without the secrets."""
        lengths = (
            length
            for secret in self._secrets
            for length in range(len(secret) - 1, _LEAST - 1, -1)
            if text.startswith(secret[-length:])
        )
        cut = max(lengths, default=0)
        return self.text(HIDDEN + text[cut:] if cut else text)

    def value(self, value: Json) -> Json:
        """`value` without the secrets; the same object when there are none to look for."""
        return self._masked(value, self._present("\n".join(_strings(value)))) if self._secrets else value

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")

    def _present(self, text: str) -> "_Present":
        """All that could have to be replaced in a text, or in any part of it."""
        return _Present(
            [each for each in self._needles if each[1] in text],
            [needle for needle, _ in self._needles if needle.spelled[:_LEAST_HEAD] in text],
        )

    def _masked(self, value: Json, present: "_Present") -> Json:
        if isinstance(value, str):
            return _masked_text(value, present)
        if isinstance(value, dict):
            items = cast(JsonObject, value).items()
            return {_masked_text(key, present): self._masked(item, present) for key, item in items}
        if isinstance(value, list):
            return [self._masked(item, present) for item in cast(list[Json], value)]
        return HIDDEN if self._is_secret_number(value) else value

    def _is_secret_number(self, value: Json) -> bool:
        return isinstance(value, int | float) and any(
            len(secret) >= _LEAST and secret in json.dumps(value) for secret in self._secrets
        )


class _Present(NamedTuple):
    """Spellings that may stand in a text, whole (with their anchors) or cut off at its end; the longest first."""

    whole: list[tuple[_Needle, str]]
    heads: list[_Needle]


def _masked_text(text: str, present: _Present) -> str:
    there = [needle for needle, anchor in present.whole if anchor in text]
    return _without_head(_replaced(text, there) if there else text, present.heads)


def _without_head(text: str, needles: list[_Needle]) -> str:
    for needle in needles:
        first, most = needle.spelled[:_LEAST_HEAD], len(needle.spelled) - 1
        at = text.find(first, max(0, len(text) - most)) if most >= _LEAST_HEAD else -1
        while at >= 0 and not needle.spelled.startswith(text[at:]):
            at = text.find(first, at + 1)
        if at >= 0:
            return text[:at] + HIDDEN
    return text


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in cast(JsonObject, value).items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in cast(list[Json], value):
            yield from _strings(item)


def _replaced(text: str, needles: list[_Needle]) -> str:
    """Longest first: in what an alternative has matched, no later one is looked for."""
    parts: list[str] = []
    done = 0
    for match in re.finditer("|".join(f"({_pattern(needle)})" for needle in needles), text):
        start, end = match.span()
        if start >= done:
            if needles[cast(int, match.lastindex) - 1].is_inner:
                start, end = _run(text, max(done, start - _MOST_RUN), start, end)
            parts += (text[done:start], HIDDEN)
        done = max(done, end)
    return "".join([*parts, text[done:]])


def _run(text: str, least: int, start: int, end: int) -> tuple[int, int]:
    """The base64 around a part of it."""
    before, after = text[least:start], text[end : end + _MOST_RUN]
    return least + len(before.rstrip(_RUN)), end + len(after) - len(after.lstrip(_RUN))


def _needles(secrets: set[str]) -> Iterator[_Needle]:
    for secret in secrets:
        for part in {secret, *_lines(secret)}:
            yield _Needle(part, is_word=len(part) < _LEAST)
            yield from _encoded(part)
    short = [secret for secret in secrets if len(secret.encode(errors="replace")) < _LEAST_BYTES]
    for user, password in product(short, short):  # the credentials of HTTP's Basic scheme
        yield _Needle(_base64(f"{user}:{password}".encode(errors="replace")).rstrip("="), is_word=True)


def _lines(secret: str) -> list[str]:
    lines = [line.strip() for line in secret.splitlines()]
    return [line for line in lines if len(line) >= _LEAST and not line.startswith(_ARMOUR)] if len(lines) > 1 else []


def _encoded(part: str) -> Iterator[_Needle]:
    """In hex and base64, of the part itself and of how it stands in JSON and in URLs."""
    in_json = (json.dumps(part, ensure_ascii=plain)[1:-1] for plain in (True, False))
    written = {part, *in_json, quote(part, "", errors="replace")}
    for content in {text.encode(errors="replace") for text in written}:
        is_short = len(content) < _LEAST_BYTES
        yield _Needle(content.hex(), is_word=is_short)
        yield _Needle(content.hex().upper(), is_word=is_short)
        for spelled in {_base64(content).rstrip("=")} if is_short else _inside_base64(content):
            for each in {spelled, spelled.translate(str.maketrans("+/", "-_"))}:
                yield _Needle(each, is_word=is_short, is_inner=not is_short)


def _inside_base64(content: bytes) -> Iterator[str]:
    """What stands in base64 wherever `content` does: without the characters that hold bits of its neighbours."""
    for before in range(3):
        first, last = -(-before * 8 // 6), (before + len(content)) * 8 // 6
        yield _base64(bytes(before) + content)[first:last]


def _base64(content: bytes) -> str:
    return b64encode(content).decode()


def _anchor(spelled: str) -> str:
    """Its longest part that stands as it is in every way of writing it down."""
    return max(re.findall(r"[A-Za-z0-9]+", spelled), key=len, default="")


def _pattern(needle: _Needle) -> str:
    bare = needle.spelled.strip()
    parts = re.findall(r"[A-Za-z0-9]+|\s+|[^A-Za-z0-9\s]", bare)
    made = "".join(map(_part_pattern, parts)) or re.escape(needle.spelled)
    return f"{_BEFORE_WORD}{made}{_AFTER_WORD}" if needle.is_word else made


def _part_pattern(part: str) -> str:
    if part.isspace():
        return _WHITE
    return part if part.isascii() and part.isalnum() else _sign_pattern(part)


def _sign_pattern(sign: str) -> str:
    r"""A character in all its ways: `\/`, `\u002f`, `%2F`, `%252F`, `&#47;`, or UTF-8 taken for Latin-1."""
    if sign == "\\":
        return r"(?i:\\{1,8}|%(?:25)?5c|\\{1,8}u005c|&#(?:92|x5c);)"
    encoded, units = sign.encode(errors="replace"), sign.encode("utf-16-be", "surrogatepass").hex()
    ways = (
        r"\\{1,8}".join(f"u{units[at : at + 4]}" for at in range(0, len(units), 4)),
        "".join(f"%(?:25)?{byte:02x}" for byte in encoded),
        re.escape(encoded.decode("latin-1")),
        f"&(?:{codepoint2name.get(ord(sign), 'apos')}|#{ord(sign)}|#x{ord(sign):x});",
    )
    return rf"\\{{0,8}}(?:{re.escape(sign)}|(?i:{'|'.join(ways)}))"
