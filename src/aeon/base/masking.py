"""Masking of secrets: they never leave a run, and records contain a placeholder instead (platform 3).

A text is masked in three steps: find the encodings of the secrets (`secret_encodings.py`) that may occur in it, by a
quick search for a part of each; replace those, the longest first; and replace the beginning of a secret that is cut off
at the end of the text.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
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
"""The placeholder for a secret."""

_MIN_TAIL = 4
"""Characters of a secret's end that are recognised at the beginning of a text that was cut inside the secret."""

_MIN_HEAD = 8
"""Characters of a secret's beginning that are recognised at the end of a text: quoted answers are cut there."""

_MIN_DISTINCT = 16
"""Letters and digits from which on a name is too long to be an ordinary word."""

_MAX_PLACEHOLDER = 7
"""Letters of the longest word that is taken for a placeholder of a key."""

_ARMOUR = "-----"
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
_MAX_RUN = 4096
"""Characters of base64 on either side of an embedded secret that are hidden with it."""


_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def secrets_of_environment(environ: Mapping[str, str], names: Collection[str] = ()) -> set[str]:
    """The values of the variables with these names, and of those whose names suggest a secret.

    Values that are too short to be found inside other text are left out, and so are placeholders.
    """
    named = {name for name in environ if name in names or _SECRET_NAME.search(name)}
    return {value for value in keys_of_environment(environ, named) if len(value) >= MIN_SECRET_LENGTH}


def keys_of_environment(environ: Mapping[str, str], names: Collection[str]) -> set[str]:
    """The values of the variables with these names, without placeholders.

    A placeholder is a word such as `ollama`, `none` or `x` in a variable for a key, which people set where a server
    asks for one and checks none: to hide it would damage ordinary text. A password may be a word.
    """
    given = {name: environ[name] for name in names if environ.get(name)}
    return {value for name, value in given.items() if not _is_placeholder(name, value)}


def _is_placeholder(name: str, value: str) -> bool:
    return "KEY" in name.upper() and value.isalpha() and len(value) <= _MAX_PLACEHOLDER


class Mask:
    """Replaces secrets in text and JSON, in all their encodings.

    The encodings: plain; escaped for JSON, a URL or HTML; hex; base64, also among other bytes; byte by byte; UTF-16.
    Each line of a secret of several lines is masked. A secret of less than six characters is replaced only where it is
    a separate word in a value, and never in an object's key: replacing it inside other words would reveal it and would
    destroy other text. The same holds for a name, such as the user name of a password, of six to fifteen letters and
    digits; a shorter name is kept, any other is hidden like a secret.
    """

    def __init__(self, secrets: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        """Empty secrets are ignored. If one secret contains another, the longer is replaced first."""
        self._secrets = {secret for secret in secrets if secret}
        self._names = {name for name in names if name} - self._secrets
        encodings = set(_secret_encodings(self._secrets, self._names))
        longest_first = sorted(encodings, key=lambda each: (-len(each.text), each))
        self._encodings = [_AnchoredEncoding(each, each.anchor) for each in longest_first]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to hide."""
        return not self._encodings

    def text(self, text: str) -> str:
        """Returns `text` without the secrets, and without the first part of a secret at the end."""
        return self._present(text).masked(text)

    def tail(self, text: str) -> str:
        """Returns the tail of a longer text, which may begin inside a secret, without the secrets."""
        lengths = (
            length
            for secret in self._secrets
            for length in range(len(secret) - 1, _MIN_TAIL - 1, -1)
            if text.startswith(secret[-length:])
        )
        cut = max(lengths, default=0)
        return self.text(HIDDEN + text[cut:] if cut else text)

    def value(self, value: Json) -> Json:
        """Returns `value` without the secrets; the same object if the mask is empty."""
        if self.is_empty:
            return value
        present = self._present("\n".join(_strings(value)))
        return self._masked(value, present, present.in_keys())

    def __reduce__(self) -> str:
        raise TypeError("a mask cannot be pickled: secrets are never written")

    def _present(self, text: str) -> "_PossibleEncodings":
        return _PossibleEncodings(
            [known for known in self._encodings if known.anchor in text],
            [known.encoding for known in self._encodings if known.encoding.text[:_MIN_HEAD] in text],
        )

    def _masked(self, value: Json, in_values: "_PossibleEncodings", in_keys: "_PossibleEncodings") -> Json:
        if isinstance(value, str):
            return in_values.masked(value)
        if isinstance(value, dict):
            masked: JsonObject = {}
            for key, item in cast(JsonObject, value).items():
                masked[_unused_key(in_keys.masked(key), masked)] = self._masked(item, in_values, in_keys)
            return masked
        if isinstance(value, list):
            return [self._masked(item, in_values, in_keys) for item in cast(list[Json], value)]
        return HIDDEN if self._is_secret_number(value) else value

    def _is_secret_number(self, value: Json) -> bool:
        return isinstance(value, int | float) and any(
            len(secret) >= MIN_SECRET_LENGTH and secret in json.dumps(value) for secret in self._secrets
        )


class _AnchoredEncoding(NamedTuple):
    """An encoding, and the part of it that occurs in every text that contains it."""

    encoding: SecretEncoding
    anchor: str


class _PossibleEncodings(NamedTuple):
    """Encodings that may occur in a text or a part of it, whole or cut off at its end; the longest first."""

    whole: list[_AnchoredEncoding]
    heads: list[SecretEncoding]

    def in_keys(self) -> "_PossibleEncodings":
        """The encodings to look for in an object's keys: no words, which may be the names of fields."""
        return _PossibleEncodings(
            [known for known in self.whole if not known.encoding.is_word],
            [encoding for encoding in self.heads if not encoding.is_word],
        )

    def masked(self, text: str) -> str:
        present = [known.encoding for known in self.whole if known.anchor in text]
        return _without_head(_replaced(text, present) if present else text, self.heads)


def _secret_encodings(secrets: set[str], names: set[str]) -> Iterator[SecretEncoding]:
    for secret in secrets:
        for part in {secret, *_lines(secret)}:
            yield from part_encodings(part)
        yield from whole_encodings(secret)
    for user, password in product(secrets | names, filter(is_short_secret, secrets)):
        if is_short_secret(user) or user in names:
            yield basic_auth_encoding(user, password)
    for name in names:
        yield from _name_encodings(name)


def _name_encodings(name: str) -> Iterator[SecretEncoding]:
    """A name that could be an ordinary word is searched as a whole word, any other like a secret."""
    is_common = len(name) < _MIN_DISTINCT and name.replace("_", "").isalnum()
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


def _unused_key(key: str, taken: JsonObject) -> str:
    """The key, with a number if another masked key is the same, so that no field is lost."""
    unused, number = key, 2
    while unused in taken:
        unused, number = f"{key} {number}", number + 1
    return unused


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


def _replaced(text: str, encodings: list[SecretEncoding]) -> str:
    """Longest first: later alternatives are not searched inside a match."""
    parts: list[str] = []
    done = 0
    for match in re.finditer("|".join(f"({each.pattern})" for each in encodings), text):
        start, end = match.span()
        if start >= done:
            if encodings[cast(int, match.lastindex) - 1].is_embedded:
                start, end = _base64_run(text, max(done, start - _MAX_RUN), start, end)
            parts += (text[done:start], HIDDEN)
        done = max(done, end)
    return "".join([*parts, text[done:]])


def _base64_run(text: str, lower: int, start: int, end: int) -> tuple[int, int]:
    """The bounds of the base64 around a part of it, not below `lower`."""
    before, after = text[lower:start], text[end : end + _MAX_RUN]
    return lower + len(before.rstrip(_BASE64)), end + len(after) - len(after.lstrip(_BASE64))


def _without_head(text: str, encodings: list[SecretEncoding]) -> str:
    """Hides the beginning of a secret at the end of the text."""
    for whole in (each.text for each in encodings):
        first, most = whole[:_MIN_HEAD], len(whole) - 1
        at = text.find(first, max(0, len(text) - most)) if most >= _MIN_HEAD else -1
        while at >= 0 and not whole.startswith(text[at:]):
            at = text.find(first, at + 1)
        if at >= 0:
            return text[:at] + HIDDEN
    return text
