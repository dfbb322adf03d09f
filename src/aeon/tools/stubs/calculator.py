"""The calculator tool: a whole expression, or two numbers and an operation."""

from typing import Any

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.tools.arithmetic import evaluate
from aeon.tools.interface import Example, Tool
from aeon.tools.spoken import expression_in

_OPERATIONS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "^", "modulo": "%"}


class CalculatorTool(Tool):
    """Computes exactly, without executing anything."""

    name = "calculator"
    description = "Compute the value of one arithmetic expression."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "anyOf": [
            {
                "type": "object",
                "properties": {"expression": {"type": "string", "minLength": 1, "maxLength": 500}},
                "required": ["expression"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {
                    "operation": {"enum": list(_OPERATIONS)},
                    "a": {"type": "number"},
                    "b": {"type": "number"},
                },
                "required": ["operation", "a", "b"],
                "additionalProperties": False,
            },
        ]
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"result": {"type": "number"}},
        "required": ["result"],
    }
    timeout = None  # the size of every number and expression is bounded
    examples = (
        Example(
            "What is 8 + 12 * 3?",
            [{"description": "compute 8 + 12 * 3", "tool": "calculator", "arguments": {"expression": "8 + 12 * 3"}}],
        ),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for what is no arithmetic or has no value."""
        try:
            return {"result": evaluate(_expression(kwargs))}
        except ValueError as error:
            raise ToolError(f"The calculator cannot compute that: {error}.") from error

    def read_request(self, request: str) -> JsonObject | None:
        """The arithmetic that stands literally in the request, in signs or in words."""
        expression = expression_in(request)
        return None if expression is None else {"expression": expression}


def _expression(arguments: JsonObject) -> str:
    if "expression" in arguments:
        return str(arguments["expression"])
    a, b = (repr(arguments[side]) for side in ("a", "b"))
    return f"({a}) {_OPERATIONS[arguments['operation']]} ({b})"
