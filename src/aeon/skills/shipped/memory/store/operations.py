"""The operations of the four scripts, from the request to the patch."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .database import Memories, StoredMemory, open_memories
from .protocol import MemoryRefusalError, emit, read_input

LARGEST_VALUE = 10_000
"""Bytes of a value as JSON in UTF-8."""

LONGEST_KEY = 200
LONGEST_SEARCH = 500
"""Characters."""

MOST_FOUND = 20
_USUALLY_FOUND = 5

_Patch = dict[str, Any]


def remember(memories: Memories, input_data: dict[str, Any]) -> tuple[_Patch, str]:
    """Stores a value under a key and replaces an older value."""
    key = _text(input_data, "key", LONGEST_KEY)
    if "value" not in input_data:
        raise MemoryRefusalError("bad_input", "value is missing; give the value to remember.")
    value = _encoded(input_data["value"])
    is_new = memories.put(StoredMemory(key, value), folded(f"{key}\n{_as_text(value)}"))
    return {"key": key, "isNew": is_new}, f"Remembered {key}." if is_new else f"Replaced {key}."


def recall(memories: Memories, input_data: dict[str, Any]) -> tuple[_Patch, str]:
    """Returns the value under a key. A missing key is a valid answer, not a failure."""
    key = _text(input_data, "key", LONGEST_KEY)
    value = memories.get(key)
    if value is None:
        return {"key": key, "found": False, "text": ""}, f"Nothing is stored under {key}."
    patch = {"key": key, "found": True, "value": json.loads(value), "text": _as_text(value)}
    return patch, f"{key}: {_as_text(value)[:200]}"


def search(memories: Memories, input_data: dict[str, Any]) -> tuple[_Patch, str]:
    """Returns the memories whose key or value contains one of the words."""
    text = _text(input_data, "text", LONGEST_SEARCH)
    limit = input_data.get("limit", _USUALLY_FOUND)
    if not isinstance(limit, int) or not 1 <= limit <= MOST_FOUND:
        raise MemoryRefusalError("bad_input", f"limit is not a whole number from 1 to {MOST_FOUND}.")
    memories_found = memories.search(json.dumps(sorted(set(folded(text).split()))), limit)
    matches = [{"key": memory.key, "value": json.loads(memory.value)} for memory in memories_found]
    found_keys = ", ".join(memory.key for memory in memories_found)[:400]
    return {
        "matches": matches,
        "count": len(matches),
    }, f"Found {found_keys}." if memories_found else "Nothing was found."


def forget(memories: Memories, input_data: dict[str, Any]) -> tuple[_Patch, str]:
    """Removes a key and its value. A missing key is not an error."""
    key = _text(input_data, "key", LONGEST_KEY)
    was_there = memories.delete(key)
    return {"key": key, "forgotten": was_there}, f"Forgot {key}." if was_there else f"{key} was not remembered."


_OPERATIONS: dict[str, Callable[[Memories, dict[str, Any]], tuple[_Patch, str]]] = {
    operation.__name__: operation for operation in (remember, recall, search, forget)
}


def main(name: str) -> int:
    """Runs one operation. The exit code is 0 even for a refusal, which is reported in events."""
    try:
        input_data = read_input()
        with open_memories(Path(os.environ["AEON_SKILL_DATA"])) as memories:
            patch, summary = _OPERATIONS[name](memories, input_data)
    except MemoryRefusalError as refusal:
        refusal.report()
        return 0
    # Patches merge: without this reset, two recalled objects of one plan would be mixed.
    emit("state_patch", patch={"memory": None})
    emit("state_patch", patch={"memory": patch})
    emit("done", ok=True, summary=summary)
    return 0


def folded(text: str) -> str:
    """Returns the text normalized for search: case-folded, in one form per character."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _text(input_data: dict[str, Any], name: str, longest: int) -> str:
    text = input_data.get(name)
    if not isinstance(text, str) or not text.strip() or len(text) > longest:
        raise MemoryRefusalError("bad_input", f"{name} is not a text of 1 to {longest} characters.")
    return _storable(text.strip(), name)


def _encoded(value: Any) -> str:
    try:
        encoded = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        raise MemoryRefusalError(
            "bad_input", "value is not JSON that can be stored; use finite numbers and less depth."
        ) from None
    size = len(_storable(encoded, "value").encode())
    if size > LARGEST_VALUE:
        message = (
            f"value has {size} bytes as JSON, at most {LARGEST_VALUE} are allowed; remember a part or a summary of it."
        )
        raise MemoryRefusalError("too_large", message)
    return encoded


def _storable(text: str, name: str) -> str:
    """Returns the text.

    Raises MemoryRefusalError for a lone surrogate or a NUL, which would end the text in a search.
    """
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise MemoryRefusalError("bad_input", f"{name} contains half a character or a NUL; remove it.")
    return text


def _as_text(value: str) -> str:
    decoded = json.loads(value)
    return decoded if isinstance(decoded, str) else value
