"""Adapts a stored tool to a tool of the kernel, so that the planner can use it."""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.platform.catalog.model import Tool as Stored
from aeon.platform.catalog.operations import Effect, default_effect
from aeon.platform.catalog.tool_calls import ToolCallResult
from aeon.platform.errors import PlatformError
from aeon.tools.interface import Tool

_GRACE = 5.0
"""Seconds after the operation's own timeout at which the kernel abandons the call."""

_LONGEST_NAME = 128
"""Characters of a tool's name in the kernel."""

StoredToolCall: TypeAlias = Callable[[JsonObject], ToolCallResult]


class StoredTool(Tool):
    """Calls a stored tool for its user.

    An output that is not an object is wrapped as the field `result`. Names of tools have no spaces in the kernel: the
    stored tool `stock level` is `stock_level` there.
    """

    def __init__(self, stored: Stored, call: StoredToolCall) -> None:
        self.name = "_".join(stored.name.split())[:_LONGEST_NAME]
        self.description = stored.description or f"{stored.operation.type} {stored.name}"
        self.input_schema = {"type": "object", **stored.input_schema}
        self._is_object = stored.output_schema.get("type", "object") == "object"
        self.output_schema = (
            {"type": "object", **stored.output_schema}
            if self._is_object
            else {"type": "object", "properties": {"result": stored.output_schema}, "required": ["result"]}
        )
        self.timeout = stored.operation.timeout + _GRACE
        self.effect: Effect = stored.effect or default_effect(stored.operation)
        self.is_repeatable = self.effect != "once"
        self._call = call

    def invoke(self, **kwargs: Any) -> JsonObject:
        """Returns the output. Raises ToolError with the platform's message."""
        try:
            output = self._call(kwargs).output
        except PlatformError as error:
            raise ToolError(error.message, next_step=error.next) from None
        return cast(JsonObject, output) if isinstance(output, dict) and self._is_object else {"result": output}
