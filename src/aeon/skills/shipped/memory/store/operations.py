"""What the four scripts do, from the request to the patch."""  # noqa: INP001  # a folder beside its script, no part of the package aeon

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .database import Found, Memories, opened
from .protocol import RefusalError, emit, read_input

LARGEST_VALUE = 10_000
"""Bytes of a value as JSON in UTF-8."""

LONGEST_KEY = 200
LONGEST_SEARCH = 500
"""Characters."""

MOST_FOUND = 20
_USUALLY_FOUND = 5

_Patch = dict[str, Any]


def remember(memories: Memories, given: dict[str, Any]) -> tuple[_Patch, str]:
    """Store a value under a key, in place of an older one."""
    key = _text(given, "key", LONGEST_KEY)
    if "value" not in given:
        raise RefusalError("bad_input", "value is missing; say what to remember.")
    value = _encoded(given["value"])
    is_new = memories.put(Found(key, value), folded(f"{key}\n{_as_text(value)}"))
    return {"key": key, "isNew": is_new}, f"Remembered {key}." if is_new else f"Replaced {key}."


def recall(memories: Memories, given: dict[str, Any]) -> tuple[_Patch, str]:
    """The value under a key. None there is an answer, no failure."""
    key = _text(given, "key", LONGEST_KEY)
    value = memories.get(key)
    if value is None:
        return {"key": key, "found": False, "text": ""}, f"Nothing is remembered as {key}."
    patch = {"key": key, "found": True, "value": json.loads(value), "text": _as_text(value)}
    return patch, f"{key}: {_as_text(value)[:200]}"


def search(memories: Memories, given: dict[str, Any]) -> tuple[_Patch, str]:
    """Every memory whose key or value has one of the words."""
    text = _text(given, "text", LONGEST_SEARCH)
    limit = given.get("limit", _USUALLY_FOUND)
    if not isinstance(limit, int) or not 1 <= limit <= MOST_FOUND:
        raise RefusalError("bad_input", f"limit is not a whole number from 1 to {MOST_FOUND}.")
    found = memories.search(json.dumps(sorted(set(folded(text).split()))), limit)
    matches = [{"key": one.key, "value": json.loads(one.value)} for one in found]
    told = ", ".join(one.key for one in found)[:400]
    return {"matches": matches, "count": len(matches)}, f"Found {told}." if found else "Nothing was found."


def forget(memories: Memories, given: dict[str, Any]) -> tuple[_Patch, str]:
    """Remove a key and its value. None there is fine."""
    key = _text(given, "key", LONGEST_KEY)
    was_there = memories.delete(key)
    return {"key": key, "forgotten": was_there}, f"Forgot {key}." if was_there else f"{key} was not remembered."


_OPERATIONS: dict[str, Callable[[Memories, dict[str, Any]], tuple[_Patch, str]]] = {
    operation.__name__: operation for operation in (remember, recall, search, forget)
}


def main(name: str) -> int:
    """Run one operation. Exit code 0 also for a refusal, which is said in events."""
    try:
        given = read_input()
        with opened(Path.cwd()) as memories:
            patch, summary = _OPERATIONS[name](memories, given)
    except RefusalError as refusal:
        refusal.report()
        return 0
    # A patch merges into what is there: without this, two recalled objects of one plan would become one mixture.
    emit("state_patch", patch={"memory": None})
    emit("state_patch", patch={"memory": patch})
    emit("done", ok=True, summary=summary)
    return 0


def folded(text: str) -> str:
    """As it is compared in a search: without case, and one form for each character."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _text(given: dict[str, Any], name: str, longest: int) -> str:
    text = given.get(name)
    if not isinstance(text, str) or not text.strip() or len(text) > longest:
        raise RefusalError("bad_input", f"{name} is not a text of 1 to {longest} characters.")
    return _storable(text.strip(), name)


def _encoded(value: Any) -> str:
    try:
        encoded = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        raise RefusalError(
            "bad_input", "value is no JSON that can be kept; use finite numbers and less depth."
        ) from None
    size = len(_storable(encoded, "value").encode())
    if size > LARGEST_VALUE:
        said = (
            f"value has {size} bytes as JSON and at most {LARGEST_VALUE} are kept; remember a part or a summary of it."
        )
        raise RefusalError("too_large", said)
    return encoded


def _storable(text: str, name: str) -> str:
    """A lone half of a surrogate pair is no character, and a NUL would end the text for the search."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise RefusalError("bad_input", f"{name} holds half a character or a NUL; leave it out.")
    return text


def _as_text(value: str) -> str:
    decoded = json.loads(value)
    return decoded if isinstance(decoded, str) else value
