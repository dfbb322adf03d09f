"""What the memory tools share: the store that they need, the form of keys, and the error for what is not stored."""

from collections.abc import Sequence
from typing import Protocol

from aeon.base.errors import ToolError
from aeon.base.json import Json, JsonObject

RESERVED_PREFIX = "step/"
"""Prefix of the kernel's keys: results of steps (core 14). Tools may read them but never write them."""

KEY: JsonObject = {"type": "string", "minLength": 1, "maxLength": 200}


class KeyValueStore(Protocol):
    """The memory operations that the memory tools need; every `aeon.memory.interface.Memory` has them."""

    def write(self, key: str, value: Json) -> None: ...
    def read(self, key: str) -> Json: ...
    def search(self, prefix: str) -> list[tuple[str, Json]]: ...
    def delete(self, key: str) -> bool: ...


def user_keys(memory: KeyValueStore) -> list[str]:
    """The stored keys but those of the kernel."""
    return [key for key, _ in memory.search("") if not key.startswith(RESERVED_PREFIX)]


def object_schema(**properties: JsonObject) -> JsonObject:
    """The schema of an object that has each of the properties and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def not_stored(memory: KeyValueStore, names: Sequence[str]) -> ToolError:
    """The error for names under which nothing is stored; it names what is."""
    keys = user_keys(memory)
    return ToolError(
        f"Nothing is stored under {', '.join(map(repr, names))}.",
        next_step=f"Name one of the stored keys: {', '.join(keys[:20])}."
        if keys
        else "Nothing is stored yet; keep a value first.",
    )
