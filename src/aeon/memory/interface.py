"""The memory port: write, read, search by prefix (FR-014 to FR-018), and what every store owes it."""

from abc import ABC, abstractmethod
from typing import Any, List, Optional, Tuple  # noqa: UP035  # the published signature

from aeon.base.errors import MemoryStoreError
from aeon.base.json import Json, canonical_json, json_problems, parse_strict


class Memory(ABC):
    """Storage for JSON values under non-empty string keys. Every operation is atomic."""

    @abstractmethod
    def write(self, key: str, value: Any) -> None:
        """Store `value` under `key`, replacing what stood there.

        Raises MemoryStoreError for an empty key, a value that is no JSON (core 14), or a store that fails.
        """

    @abstractmethod
    def read(self, key: str) -> Optional[Any]:  # noqa: UP045  # the published signature
        """The value under `key`, a copy of its own, or None. Raises MemoryStoreError when the store fails."""

    @abstractmethod
    def search(self, prefix: str) -> List[Tuple[str, Any]]:  # noqa: UP006  # the published signature
        """Every (key, value) whose key starts with `prefix`, case-sensitive, in order of keys; "" gives all.

        Raises MemoryStoreError when the store fails.
        """


def encode_value(key: str, value: Json) -> str:
    """The text a store keeps for `value`. Raises MemoryStoreError for a key or value that cannot be kept (core 14)."""
    check_key(key)
    wrong = json_problems(value)
    if wrong:
        raise MemoryStoreError(
            f"The value for {key!r} is not JSON: {'; '.join(wrong[:5])}.", next_step="Store JSON values only."
        )
    return canonical_json(value)


def decode_value(key: str, text: str) -> Json:
    """The value that a store kept as `text` under `key`. Raises MemoryStoreError for what `encode` never writes."""
    try:
        return parse_strict(text)
    except ValueError as error:
        raise MemoryStoreError(
            f"The value stored for {key!r} is not JSON: {error}.",
            next_step="Another program changed it; write the value again.",
        ) from None


def check_key(key: str) -> None:
    """Refuse keys that no store could keep. Raises MemoryStoreError."""
    if not isinstance(key, str) or not key:  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may hand us anything
        raise MemoryStoreError(f"A memory key is a non-empty string, not {key!r}.", next_step="Name the value.")
    try:
        key.encode()
    except UnicodeEncodeError:
        raise MemoryStoreError(
            f"The memory key {key!r} is no valid Unicode.", next_step="Choose another key."
        ) from None


def check_prefix(prefix: str) -> None:
    """Refuse prefixes that no key could have; "" is fine. Raises MemoryStoreError."""
    if prefix != "":
        check_key(prefix)


def prefix_upper_bound(prefix: str) -> str | None:
    """The smallest string above every string that starts with `prefix`, or None when there is no bound."""
    for end in range(len(prefix), 0, -1):
        point = ord(prefix[end - 1])
        if point < 0x10FFFF:  # noqa: PLR2004  # the last code point of Unicode
            following = 0xE000 if point == 0xD7FF else point + 1  # noqa: PLR2004  # surrogates are no characters
            return prefix[: end - 1] + chr(following)
    return None
