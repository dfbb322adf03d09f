"""`MemoryForgetTool`: deletes a stored value that a request names."""

from typing import Any

from aeon.base.binding import as_text
from aeon.base.json import JsonObject
from aeon.tools.interface import Example, Tool
from aeon.tools.memory_requests import are_same_words, is_lookup
from aeon.tools.memory_statements import read_forgotten
from aeon.tools.stubs.stored_values import KEY, RESERVED_PREFIX, KeyValueStore, not_stored, object_schema, user_keys


class MemoryForgetTool(Tool):
    """A tool that deletes the value under a key. Only plans that code makes use it: a model may name the wrong key."""

    name = "memory_forget"
    description = "Delete the value stored under a key."
    input_schema = object_schema(key=KEY)
    output_schema = object_schema(key=KEY)
    is_common = False
    examples = (
        Example(
            "Forget my locker code.",
            [{"description": "forget it", "tool": "memory_forget", "arguments": {"key": "locker code"}}],
        ),
    )

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """The key, without the value: results of steps are stored, too. Those that show the value go with it.

        Raises ToolError if nothing is stored under the key, or it is the kernel's.
        """
        key: str = kwargs["key"]
        value = None if key.startswith(RESERVED_PREFIX) else self._memory.read(key)
        if value is None or not self._memory.delete(key):
            raise not_stored(self._memory, [key])
        for result_key, result in self._memory.search(RESERVED_PREFIX):
            if as_text(value) in as_text(result):
                self._memory.delete(result_key)
        return {"key": key}

    def suits(self, request: str) -> bool:
        return self.read_request(request) is not None

    def read_request(self, request: str) -> JsonObject | None:
        """The one stored key that is named; else the name in the request, if it surely means a stored value."""
        forgotten = read_forgotten(request)
        if forgotten is None:
            return None
        keys = user_keys(self._memory)
        named = [key for key in keys if are_same_words(forgotten.name, key)]
        named = named or [key for key in keys if is_lookup(forgotten.name, key)]
        if len(named) == 1:
            return {"key": named[0]}
        return {"key": forgotten.name} if forgotten.is_certain else None

    def reads_whole(self, request: str) -> bool:
        return self.read_request(request) is not None
