"""The conformance suite of memories: subclass `MemoryConformance`, build your memory, run pytest.

    class TestMyMemory(MemoryConformance):
        def memory(self):
            return MyMemory(...)

Each test uses one empty store.
"""

import math
import threading
from typing import Any

import pytest

from aeon.base.errors import AeonError, MemoryStoreError
from aeon.base.json import MAX_DEPTH, Json
from aeon.memory.interface import Memory

VALUES: list[Json] = [
    None,
    True,
    0,
    -1,
    2**64,
    10**400,
    0.1,
    -0.0,
    1e308,
    "",
    "text",
    "\x00 \ud7ff \ue000 \U0010ffff é 🐉",
    "\ud800",
    [],
    {},
    [1, [2, {"three": [None]}]],
    {"": 1, "a b": {"c.d": [True]}},
]
"""JSON values of every kind, including unusual ones."""

UNUSUAL_KEYS = [
    "a",
    " ",
    "\x00",
    "a\x00b",
    "%",
    "_",
    "'; DROP TABLE memory; --",
    "ü",
    "\ud7ff",
    "\ue000",
    "\U0010ffff",
    "k" * 5000,
]

_BAD_VALUES: list[Any] = [math.nan, math.inf, {1: "a"}, {"a": {None: 1}}, (1, 2), {1}, b"x", object(), 10**5000]
_THREADS = 4
_WRITES = 25


class MemoryConformance:
    """The contract of `Memory` (core-interfaces, FR-014 to FR-018, core 14)."""

    def memory(self) -> Memory:
        """Returns an empty store."""
        raise NotImplementedError

    @pytest.mark.parametrize("value", VALUES, ids=lambda value: ascii(value)[:20])
    def test_fr_016_a_written_value_is_read_back(self, value: Json) -> None:
        memory = self.memory()
        memory.write("key", value)
        read = memory.read("key")
        assert read == value
        assert type(read) is type(value)

    @pytest.mark.parametrize("key", UNUSUAL_KEYS, ids=lambda key: ascii(key)[:20])
    def test_every_non_empty_string_is_a_key(self, key: str) -> None:
        memory = self.memory()
        memory.write(key, 1)
        assert memory.read(key) == 1
        assert memory.search("") == [(key, 1)]
        assert memory.search(key) == [(key, 1)]

    def test_a_missing_key_reads_as_none(self) -> None:
        memory = self.memory()
        memory.write("ab", 1)
        assert [memory.read(key) for key in ("a", "abc", "AB")] == [None, None, None]

    def test_a_later_write_replaces_the_earlier(self) -> None:
        memory = self.memory()
        memory.write("key", {"old": 1})
        memory.write("key", "new")
        assert memory.read("key") == "new"
        assert memory.search("") == [("key", "new")]

    def test_a_deleted_value_is_gone_and_no_other(self) -> None:
        """A memory may do without `delete`; then it says so, and loses nothing."""
        memory = self.memory()
        for key in ("a", "ab", "b"):
            memory.write(key, key)
        if type(memory).delete is Memory.delete:
            with pytest.raises(MemoryStoreError):
                memory.delete("a")
            assert memory.read("a") == "a"
            return
        assert [memory.delete("a"), memory.delete("a"), memory.delete("c")] == [True, False, False]
        assert memory.read("a") is None
        assert memory.search("") == [("ab", "ab"), ("b", "b")]
        memory.write("a", "again")
        assert memory.search("a") == [("a", "again"), ("ab", "ab")]
        with pytest.raises(MemoryStoreError):
            memory.delete("")

    def test_values_are_the_stores_own(self) -> None:
        """Changes to a written or read value do not affect the store."""
        memory = self.memory()
        value = {"list": [1]}
        memory.write("key", value)
        value["list"].append(2)
        memory.read("key")["list"].append(3)  # type: ignore[index]  # pyright: ignore[reportOptionalSubscript]
        memory.search("")[0][1]["list"].append(4)
        assert memory.read("key") == {"list": [1]}

    @pytest.mark.parametrize("key", ["", None, 5, b"key", "\ud800", "a\udfff"], ids=ascii)
    def test_invalid_keys_are_refused(self, key: Any) -> None:
        memory = self.memory()
        with pytest.raises(MemoryStoreError):
            memory.write(key, 1)
        with pytest.raises(MemoryStoreError):
            memory.read(key)
        assert memory.search("") == []

    @pytest.mark.parametrize("prefix", [None, 5, b"key", "\ud800"], ids=ascii)
    def test_invalid_prefixes_are_refused(self, prefix: Any) -> None:
        with pytest.raises(MemoryStoreError):
            self.memory().search(prefix)

    @pytest.mark.parametrize("value", _BAD_VALUES, ids=lambda value: type(value).__name__)
    def test_core_14_values_that_are_not_json_are_refused(self, value: Any) -> None:
        memory = self.memory()
        memory.write("key", "before")
        with pytest.raises(MemoryStoreError) as raised:
            memory.write("key", value)
        assert "'key'" in raised.value.message
        assert memory.read("key") == "before"

    def test_core_14_cycles_and_absurd_depth_are_refused(self) -> None:
        cycle: list[Any] = []
        cycle.append({"again": cycle})
        deep: Json = "core"
        for _ in range(MAX_DEPTH + 1):
            deep = [deep]
        memory = self.memory()
        for value in (cycle, deep):
            with pytest.raises(MemoryStoreError):
                memory.write("key", value)
        assert memory.read("key") is None

    def test_core_14_both_spellings_of_except_work(self) -> None:
        for spelling in (AeonError, MemoryError):
            with pytest.raises(spelling):
                self.memory().write("", 1)

    def test_fr_017_search_is_by_prefix_case_sensitive_and_in_order_of_keys(self) -> None:
        memory = self.memory()
        for key in ("b", "ab", "a", "A", "aa", "ba", "Ab"):
            memory.write(key, key.upper())
        assert memory.search("a") == [("a", "A"), ("aa", "AA"), ("ab", "AB")]
        assert memory.search("A") == [("A", "A"), ("Ab", "AB")]
        assert [key for key, _ in memory.search("")] == ["A", "Ab", "a", "aa", "ab", "b", "ba"]
        assert memory.search("c") == []

    @pytest.mark.parametrize(
        ("prefix", "inside", "outside"),
        [
            ("100%", ["100%", "100% sure"], ["100", "1000", "100 %"]),
            ("a_b", ["a_b", "a_bc"], ["axb", "a"]),
            ("a*", ["a*", "a*b"], ["ab", "a"]),
            ("a?", ["a?"], ["ab"]),
            ("[a]", ["[a]b"], ["a"]),
            ("é", ["é", "éa"], ["e", "e\u0301", "ê"]),
            ("\ud7ff", ["\ud7ff", "\ud7ffz"], ["\ue000", "\ud7fe", "\U00010000"]),
            ("\ue000", ["\ue000\ue000"], ["\ud7ff", "\ue001"]),
            ("\uffff", ["\uffff", "\uffffa"], ["\U00010000", "\ufffe"]),
            ("\U0010ffff", ["\U0010ffff", "\U0010ffff\U0010ffff"], ["\U0010fffe", "a"]),
            ("a\U0010ffff", ["a\U0010ffff", "a\U0010ffffz"], ["a", "b", "a\U0010fffe"]),
            ("\x00", ["\x00", "\x00a"], ["\x01", "a"]),
        ],
        ids=ascii,
    )
    def test_fr_017_a_prefix_means_itself(self, prefix: str, inside: list[str], outside: list[str]) -> None:
        """No wildcards, no Unicode normalization, and the limits of Unicode (core-interfaces)."""
        memory = self.memory()
        for key in [*inside, *outside]:
            memory.write(key, 1)
        assert [key for key, _ in memory.search(prefix)] == sorted(inside)

    def test_threads_may_share_it(self) -> None:
        memory = self.memory()
        errors: list[Exception] = []

        def work(name: int) -> None:
            try:
                for number in range(_WRITES):
                    memory.write(f"{name}/{number}", number)
                    memory.write("shared", [name] * 50)
                    if len(set(memory.read("shared") or [name])) != 1:
                        errors.append(AssertionError("a partial write was read"))
                    memory.search(f"{name}/")
            except Exception as error:  # noqa: BLE001  # the test reports every thread's exception
                errors.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert len(memory.search("")) == _THREADS * _WRITES + 1
