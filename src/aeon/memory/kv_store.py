"""Memory in the process, lost when the process ends."""

from bisect import bisect_left, insort
from threading import Lock
from typing import Any

from aeon.base.json import parse_strict
from aeon.memory.interface import Memory, check_key, check_prefix, encode_value, prefix_upper_bound


class InMemoryKVStore(Memory):
    """An in-memory store. Thread-safe. Values are kept as text, so no caller can change them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._texts: dict[str, str] = {}
        self._keys: list[str] = []
        """The keys of `_texts`, always sorted: the index of the prefix search."""

    def write(self, key: str, value: Any) -> None:
        text = encode_value(key, value)
        with self._lock:
            if key not in self._texts:
                insort(self._keys, key)
            self._texts[key] = text

    def read(self, key: str) -> Any | None:
        check_key(key)
        text = self._texts.get(key)
        return None if text is None else parse_strict(text)

    def delete(self, key: str) -> bool:
        check_key(key)
        with self._lock:
            if self._texts.pop(key, None) is None:
                return False
            del self._keys[bisect_left(self._keys, key)]
            return True

    def search(self, prefix: str) -> list[tuple[str, Any]]:
        check_prefix(prefix)
        with self._lock:
            end = prefix_upper_bound(prefix)
            keys = self._keys[bisect_left(self._keys, prefix) : None if end is None else bisect_left(self._keys, end)]
            return [(key, parse_strict(self._texts[key])) for key in keys]
