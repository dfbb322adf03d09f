"""The memory port: write, read, search by prefix (FR-014 to FR-018), delete, and the checks that every store shares."""

from abc import ABC, abstractmethod
from typing import Any, List, Optional, Tuple  # noqa: UP035  # the published signature

from aeon.base.errors import MemoryStoreError
from aeon.base.json import Json, canonical_json, json_problems, parse_strict


class Memory(ABC):
    """Storage for JSON values under non-empty string keys. Every operation is atomic."""

    @abstractmethod
    def write(self, key: str, value: Any) -> None:
        """Stores `value` under `key`, replacing the previous value.

        Raises MemoryStoreError for an empty key, a value that is not JSON (core 14), or a failing store.
        """

    @abstractmethod
    def read(self, key: str) -> Optional[Any]:  # noqa: UP045  # the published signature
        """Returns a copy of the value under `key`, or None. Raises MemoryStoreError if the store fails."""

    @abstractmethod
    def search(self, prefix: str) -> List[Tuple[str, Any]]:  # noqa: UP006  # the published signature
        """Returns every (key, value) whose key starts with `prefix`, case-sensitive, sorted by key; "" returns all.

        Raises MemoryStoreError if the store fails.
        """

    def delete(self, key: str) -> bool:
        """Deletes the value under `key`; returns whether there was one. A memory of your own may do without it.

        Raises MemoryStoreError for an empty key, a failing store, or a memory that cannot delete.
        """
        check_key(key)
        raise MemoryStoreError(
            f"{type(self).__name__} cannot delete {key!r}.", next_step="Give the memory a method `delete(key)`."
        )


def encode_value(key: str, value: Json) -> str:
    """Returns the text to store for `value`. Raises MemoryStoreError for an invalid key or value (core 14)."""
    check_key(key)
    problems = json_problems(value)
    if problems:
        raise MemoryStoreError(
            f"The value for {key!r} is not JSON: {'; '.join(problems[:5])}.", next_step="Store JSON values only."
        )
    return canonical_json(value)


def decode_value(key: str, text: str) -> Json:
    """Returns the value stored as `text` under `key`. Raises MemoryStoreError if `encode_value` did not write it."""
    try:
        return parse_strict(text)
    except ValueError as error:
        raise MemoryStoreError(
            f"The value stored for {key!r} is not JSON: {error}.",
            next_step="Another program changed it; write the value again.",
        ) from None


def check_key(key: str) -> None:
    """Raises MemoryStoreError for a key that no store could keep."""
    if not isinstance(key, str) or not key:  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may pass anything
        raise MemoryStoreError(f"A memory key is a non-empty string, not {key!r}.", next_step="Name the value.")
    try:
        key.encode()
    except UnicodeEncodeError:
        raise MemoryStoreError(
            f"The memory key {key!r} is not valid Unicode.", next_step="Choose another key."
        ) from None


def check_prefix(prefix: str) -> None:
    """Raises MemoryStoreError for a prefix that no key could have; "" is valid."""
    if prefix != "":
        check_key(prefix)


def prefix_upper_bound(prefix: str) -> str | None:
    """Returns the smallest string above every string that starts with `prefix`, or None without a bound."""
    for end in range(len(prefix), 0, -1):
        point = ord(prefix[end - 1])
        if point < 0x10FFFF:  # noqa: PLR2004  # the last code point of Unicode
            following = 0xE000 if point == 0xD7FF else point + 1  # noqa: PLR2004  # surrogates are not characters
            return prefix[: end - 1] + chr(following)
    return None
