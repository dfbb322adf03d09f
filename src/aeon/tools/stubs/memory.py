"""The memory tools: access to the key/value memory for models."""

from collections.abc import Mapping
from typing import Any

from aeon.base.binding import as_text
from aeon.base.errors import ToolError
from aeon.base.json import Json, JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.base.talk import is_talk
from aeon.tools.interface import Example, TextRead, Tool
from aeon.tools.memory_requests import (
    are_same_words,
    asks_for_all,
    asks_for_value,
    asks_stored,
    asks_to_change,
    asks_to_forget,
    asks_to_store,
    is_lookup,
    keys_about,
    related_keys,
)
from aeon.tools.memory_statements import read_forgotten, read_statement
from aeon.tools.stubs.stored_values import KEY, RESERVED_PREFIX, KeyValueStore, not_stored, object_schema, user_keys

_SCALAR: JsonObject = {"type": ["string", "number", "boolean"], "maxLength": 2000}
_DIGIT = LazyPattern(r"\d")
_MAX_ENTRIES = 40
_MAX_RECALLED = 6000
"""Characters of stored values that a model is shown at once."""


class MemoryWriteTool(Tool):
    """A tool that stores a value under a key."""

    name = "memory_write"
    description = "Store a value under a short key, to be read again later."
    input_schema = object_schema(key=KEY, value=_SCALAR)
    output_schema = object_schema(key=KEY, value=_SCALAR)
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "Remember that the rent is 950, then tell me the rent for 3 months.",
            [
                {
                    "description": "store the rent",
                    "tool": "memory_write",
                    "arguments": {"key": "rent", "value": 950},
                },
                {
                    "description": "compute the rent for 3 months",
                    "tool": "calculator",
                    "arguments": {"expression": "950 * 3"},
                },
            ],
        ),
        Example(
            "Merk dir: Der Müll wird dienstags geholt. Was hast du dir gemerkt?",
            [
                {
                    "description": "store the day of the rubbish",
                    "tool": "memory_write",
                    "arguments": {"key": "müll", "value": "wird dienstags geholt"},
                }
            ],
        ),
        Example(
            "Compute 12 * 7 and keep the result as total.",
            [
                {"description": "compute it", "tool": "calculator", "arguments": {"expression": "12 * 7"}},
                {
                    "description": "store the result",
                    "tool": "memory_write",
                    "arguments": {"key": "total", "value": "{step.s1.result}"},
                },
            ],
        ),
    )

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for a key that belongs to the kernel."""
        key: str = kwargs["key"]
        if key.startswith(RESERVED_PREFIX):
            raise ToolError(f"Keys that start with {RESERVED_PREFIX!r} hold the results of steps; choose another key.")
        self._memory.write(key, kwargs["value"])
        return {"key": key, "value": kwargs["value"]}

    def read_request(self, request: str) -> JsonObject | None:
        """The key and the value of a request that says both; the key as it is stored, if it is."""
        stated = read_statement(request)
        if stated is None:
            return None
        same = [key for key in user_keys(self._memory) if are_same_words(stated.name, key)]
        if len(same) > 1 or (stated.is_change and not same):
            return None
        return {"key": same[0] if same else stated.name, "value": stated.value}

    def reads_whole(self, request: str) -> bool:
        return self.read_request(request) is not None

    def suits(self, request: str) -> bool:
        """Whether the request wants something to be kept, or a stored value to be another."""
        return asks_to_store(request) or (
            asks_to_change(request) and bool(related_keys(request, user_keys(self._memory)))
        )


class MemoryReadTool(Tool):
    """A tool that reads the value under a key."""

    name = "memory_read"
    description = "Read the value stored under a key."
    input_schema = object_schema(key=KEY)
    output_schema = object_schema(value={})
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "What is my stored locker code?",
            [{"description": "read the locker code", "tool": "memory_read", "arguments": {"key": "locker code"}}],
        ),
        Example(
            "Read the stored price and add 20 to it.",
            [
                {"step_id": "s1", "description": "read price", "tool": "memory_read", "arguments": {"key": "price"}},
                {
                    "step_id": "s2",
                    "description": "add 20",
                    "tool": "calculator",
                    "arguments": {"expression": "{step.s1.value} + 20"},
                },
            ],
        ),
    )

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError if nothing is stored under the key."""
        value = self._memory.read(kwargs["key"])
        if value is None:
            raise not_stored(self._memory, [kwargs["key"]])
        return {"value": value}

    def suits(self, request: str) -> bool:
        """Whether the request speaks of stored values, or has a word of a stored key and is no talk."""
        if asks_to_forget(request) and read_forgotten(request) is not None:
            return False
        is_related = not is_talk(request) and bool(related_keys(request, user_keys(self._memory)))
        return asks_stored(request) or is_related

    def read_request(self, request: str) -> JsonObject | None:
        """The one stored key that the request has most words of; none if it has numbers, to compute with the value."""
        keys = related_keys(request, user_keys(self._memory))
        is_sure = len(keys) == 1 and not _DIGIT.search(request) and read_statement(request) is None
        return {"key": keys[0]} if is_sure else None

    def reads_whole(self, request: str) -> bool:
        """Whether the request asks for the value of a key and for nothing else."""
        found = self.read_request(request)
        return found is not None and is_lookup(request, found["key"]) and not asks_to_store(request)

    def text_read(self, request: str) -> TextRead | None:
        """The recall of the values that the request is about."""
        return _recall(self._memory, request)


class MemoryRecallTool(Tool):
    """A tool that reads several values at once as a text. Only plans that code makes use it."""

    name = "memory_recall"
    description = "Read the values under several keys as lines of text."
    input_schema = object_schema(keys={"type": "array", "items": KEY, "maxItems": _MAX_ENTRIES})
    output_schema = object_schema(text={"type": "string"})
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "Which of my stored codes is longer, that of the locker or of the door?",
            [
                {
                    "description": "read both codes",
                    "tool": "memory_recall",
                    "arguments": {"keys": ["locker code", "door code"]},
                },
                {"description": "say which one is longer", "agent": "llm"},
            ],
        ),
    )

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError if nothing is stored under one of the keys."""
        values = {key: self._memory.read(key) for key in kwargs["keys"]}
        if missing := [key for key, value in values.items() if value is None]:
            raise not_stored(self._memory, missing)
        return {"text": _as_text(values) or "Nothing is stored yet."}

    def suits(self, request: str) -> bool:  # noqa: ARG002  # a model never plans it
        return False


def _recall(memory: KeyValueStore, request: str) -> TextRead | None:
    """The recall of the values whose keys have words of the request, or of all; None if there are too many.

    A request with numbers computes with values, and one that changes them takes more than reading.
    """
    values = {key: value for key, value in memory.search("") if not key.startswith(RESERVED_PREFIX)}
    keys = keys_about(request, values) or [*values]
    is_much = len(keys) > _MAX_ENTRIES or len(_as_text({key: values[key] for key in keys})) > _MAX_RECALLED
    is_more = asks_to_change(request) or asks_to_forget(request) or _DIGIT.search(request) is not None
    is_answer = len(keys) == len(values) and asks_for_all(request)
    if is_much or is_more or not asks_for_value(request) or not (keys or is_answer):
        return None
    return TextRead(MemoryRecallTool.name, {"keys": [*keys]}, "notes", "answer" if is_answer else "lines")


def _as_text(values: Mapping[str, Json]) -> str:
    """Lines such as `locker code: 4711`."""
    return "\n".join(
        f"{_in_a_line(key.replace('_', ' '))}: {_in_a_line(as_text(value))}" for key, value in values.items()
    )


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


class MemorySearchTool(Tool):
    """A tool that lists the keys with a prefix and their values."""

    name = "memory_search"
    description = "List stored keys that start with a prefix, with their values."
    input_schema = object_schema(prefix={"type": "string", "maxLength": 200})
    output_schema = object_schema(matches={"type": "array"})
    is_common = False
    is_repeatable = True
    examples = (
        Example(
            "Which stored keys start with city?",
            [{"description": "list keys with city", "tool": "memory_search", "arguments": {"prefix": "city"}}],
        ),
    )

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        entries = self._memory.search(kwargs["prefix"])
        return {
            "matches": [{"key": key, "value": value} for key, value in entries if not key.startswith(RESERVED_PREFIX)]
        }

    def suits(self, request: str) -> bool:
        """Whether the request speaks of stored values, names none of them, and they are too many to be read at once."""
        is_about_all = asks_stored(request) and not related_keys(request, user_keys(self._memory))
        return is_about_all and _recall(self._memory, request) is None
