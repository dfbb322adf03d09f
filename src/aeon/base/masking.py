"""Secrets never leave a run (platform 3): where one of them stands, something else is recorded.

A text is masked in three steps: which spellings of the secrets (`spellings.py`) may stand in it at all, by a quick look
for a part of each; each of those replaced, the longest first; and at the end of the text the beginning of one that was
cut off there.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.secret_encodings import (
    MIN_SECRET_LENGTH,
    SecretEncoding,
    basic_auth_encoding,
    is_short_secret,
    part_encodings,
    whole_encodings,
)

HIDDEN = "[hidden]"
"""What stands where a secret stood."""

_LEAST_REST = 4
"""Characters of a secret's rest that count as it at the beginning of a text that was cut in its middle."""

_LEAST_HEAD = 8
"""Characters of a secret's beginning that count as it at the end of a text: what quotes an answer cuts it there."""

_LEAST_DISTINCT = 16
"""Letters and digits of a name that is nobody else's word."""

_ARMOUR = "-----"
_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
_MOST_RUN = 4096
"""Characters of base64 on either side of a secret in it that are hidden with it."""


class Mask:
    """Replaces given secrets in text and JSON, in whatever spelling they stand there.

    Those are: as they are, escaped for JSON, a URL or HTML, in hex, in base64 also among other bytes, byte by byte, and
    in UTF-16; of a secret of several lines each line. One of less than six characters is replaced where it is a word of
    its own in a value, and never in an object's key: replaced inside of other words, it would be told by what is
    missing, and take away what is no secret. So is a name, such as the user's that goes with a password, if it has six
    to fifteen letters and digits; a shorter one is left, any other is hidden as a secret is.
    """

    def __init__(self, secrets: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        """Empty secrets are ignored. Of two where one contains the other, the longer is replaced first."""
        self._secrets = {secret for secret in secrets if secret}
        self._names = {name for name in names if name} - self._secrets
        found = sorted(set(_secret_encodings(self._secrets, self._names)), key=lambda each: (-len(each.text), each))
        self._encodings = [_AnchoredEncoding(each, each.anchor) for each in found]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to hide."""
        return not self._encodings

    def text(self, text: str) -> str:
        """`text` without the secrets, and without the first part of one at its very end."""
        return self._present(text).masked(text)

    def tail(self, text: str) -> str:
        """The end of a text that may begin with the rest of a secret, without the secrets."""
        lengths = (
            length
            for secret in self._secrets
            for length in range(len(secret) - 1, _LEAST_REST - 1, -1)
            if text.startswith(secret[-length:])
        )
        cut = max(lengths, default=0)
        return self.text(HIDDEN + text[cut:] if cut else text)

    def value(self, value: Json) -> Json:
        """`value` without the secrets; the same object when there are none to look for."""
        if self.is_empty:
            return value
        present = self._present("\n".join(_strings(value)))
        return self._masked(value, present, present.in_keys())

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")

    def _present(self, text: str) -> "_PossibleEncodings":
        return _PossibleEncodings(
            [known for known in self._encodings if known.anchor in text],
            [known.encoding for known in self._encodings if known.encoding.text[:_LEAST_HEAD] in text],
        )

    def _masked(self, value: Json, in_values: "_PossibleEncodings", in_keys: "_PossibleEncodings") -> Json:
        if isinstance(value, str):
            return in_values.masked(value)
        if isinstance(value, dict):
            made: JsonObject = {}
            for key, item in cast(JsonObject, value).items():
                made[_free(in_keys.masked(key), made)] = self._masked(item, in_values, in_keys)
            return made
        if isinstance(value, list):
            return [self._masked(item, in_values, in_keys) for item in cast(list[Json], value)]
        return HIDDEN if self._is_secret_number(value) else value

    def _is_secret_number(self, value: Json) -> bool:
        return isinstance(value, int | float) and any(
            len(secret) >= MIN_SECRET_LENGTH and secret in json.dumps(value) for secret in self._secrets
        )


class _AnchoredEncoding(NamedTuple):
    """A spelling, and the part of it that stands in every text in which it does."""

    encoding: SecretEncoding
    anchor: str


class _PossibleEncodings(NamedTuple):
    """Spellings that may stand in a text or in any part of it, whole or cut off at its end; the longest first."""

    whole: list[_AnchoredEncoding]
    heads: list[SecretEncoding]

    def in_keys(self) -> "_PossibleEncodings":
        """Those that are looked for in an object's keys: no words, which may be the names of fields."""
        return _PossibleEncodings(
            [known for known in self.whole if not known.encoding.is_word],
            [spelling for spelling in self.heads if not spelling.is_word],
        )

    def masked(self, text: str) -> str:
        there = [known.encoding for known in self.whole if known.anchor in text]
        return _without_head(_replaced(text, there) if there else text, self.heads)


def _secret_encodings(secrets: set[str], names: set[str]) -> Iterator[SecretEncoding]:
    for secret in secrets:
        for part in {secret, *_lines(secret)}:
            yield from part_encodings(part)
        yield from whole_encodings(secret)
    for user, password in product(secrets | names, filter(is_short_secret, secrets)):
        if is_short_secret(user) or user in names:
            yield basic_auth_encoding(user, password)
    for name in names:
        yield from _of_name(name)


def _of_name(name: str) -> Iterator[SecretEncoding]:
    """A name that could be a word of anybody's is looked for as one, any other as a secret is."""
    is_common = len(name) < _LEAST_DISTINCT and name.replace("_", "").isalnum()
    if not is_common:
        yield from part_encodings(name)
        yield from whole_encodings(name)
    elif len(name) >= MIN_SECRET_LENGTH:
        yield SecretEncoding(name, is_word=True)


def _lines(secret: str) -> list[str]:
    lines = [line.strip() for line in secret.splitlines()]
    return (
        [line for line in lines if len(line) >= MIN_SECRET_LENGTH and not line.startswith(_ARMOUR)]
        if len(lines) > 1
        else []
    )


def _free(key: str, taken: JsonObject) -> str:
    """The key, with a number where another one that was masked has become the same: none takes another's place."""
    made, number = key, 2
    while made in taken:
        made, number = f"{key} {number}", number + 1
    return made


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


def _replaced(text: str, spelled: list[SecretEncoding]) -> str:
    """Longest first: in what an alternative has matched, no later one is looked for."""
    parts: list[str] = []
    done = 0
    for match in re.finditer("|".join(f"({each.pattern})" for each in spelled), text):
        start, end = match.span()
        if start >= done:
            if spelled[cast(int, match.lastindex) - 1].is_embedded:
                start, end = _run(text, max(done, start - _MOST_RUN), start, end)
            parts += (text[done:start], HIDDEN)
        done = max(done, end)
    return "".join([*parts, text[done:]])


def _run(text: str, least: int, start: int, end: int) -> tuple[int, int]:
    """The base64 around a part of it."""
    before, after = text[least:start], text[end : end + _MOST_RUN]
    return least + len(before.rstrip(_RUN)), end + len(after) - len(after.lstrip(_RUN))


def _without_head(text: str, spelled: list[SecretEncoding]) -> str:
    """Without the beginning of a secret at the very end of the text."""
    for whole in (each.text for each in spelled):
        first, most = whole[:_LEAST_HEAD], len(whole) - 1
        at = text.find(first, max(0, len(text) - most)) if most >= _LEAST_HEAD else -1
        while at >= 0 and not whole.startswith(text[at:]):
            at = text.find(first, at + 1)
        if at >= 0:
            return text[:at] + HIDDEN
    return text
