"""The calculator tool: a whole expression, or two numbers and an operation."""

from typing import Any

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.tools.arithmetic import evaluate_expression
from aeon.tools.arithmetic_requests import asks_arithmetic, asks_one_number, is_only_arithmetic
from aeon.tools.interface import Example, Tool
from aeon.tools.number_words import find_expression
from aeon.tools.worked_solutions import CALCULATOR, INSTRUCTIONS

_PATTERN = (
    r"^([-+*/%^()., 0-9×÷−]|[0-9][eE][-+]?[0-9]|\{step\.[A-Za-z0-9_.]{1,40}\}|"  # noqa: RUF001  # as people type it
    r"sqrt|round|floor|ceil|abs|min|max){1,200}$"
)
"""Numbers, also as 1e-05, signs, brackets, references and the known functions: only arithmetic matches."""

_OPERATIONS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "^", "modulo": "%"}


def _example(request: str, words: str, expression: str) -> Example:
    """A request, the calculation in words (which a model writes first, as its reasoning), and its expression."""
    step: JsonObject = {"description": words, "tool": "calculator", "arguments": {"expression": expression}}
    return Example(request, [step])


class CalculatorTool(Tool):
    """A calculator: exact, without executing code."""

    name = CALCULATOR
    description = "Compute one arithmetic expression; the whole calculation goes into it."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "anyOf": [
            {
                "type": "object",
                "properties": {"expression": {"type": "string", "pattern": _PATTERN}},
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
    offered_schema = input_schema["anyOf"][0]
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"result": {"type": "number"}},
        "required": ["result"],
    }
    is_repeatable = True
    timeout = None  # the size of every number and expression is bounded
    examples = (
        _example("What is 8 plus 12 * 3?", "8 plus 12 times 3", "8 + 12 * 3"),
        _example("A box holds 6 eggs. I have 4 boxes and 5 loose eggs. How many?", "4 boxes of 6, plus 5", "4 * 6 + 5"),
        _example(
            "First add 5 to 9, then divide that by 2, then take 3 away.",
            "the sum of 5 and 9, divided by 2, minus 3",
            "(5 + 9) / 2 - 3",
        ),
        _example(
            "A coat of 90 dollars is 30% off. What does it cost?", "90 minus 30 percent of 90", "90 - 90 * 30 / 100"
        ),
        _example(
            "The price rose from 50 to 60. How many percent is that?",
            "the difference of 60 and 50, in percent of 50",
            "(60 - 50) / 50 * 100",
        ),
        _example("How many minutes are two and a half hours?", "2.5 hours of 60 minutes", "2.5 * 60"),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError if the expression is not arithmetic or has no value."""
        try:
            return {"result": evaluate_expression(_expression(kwargs))}
        except ValueError as error:
            raise ToolError(f"The calculator cannot compute that: {error}.") from error

    def suits(self, request: str) -> bool:
        """Whether the request has numbers to compute with."""
        return asks_arithmetic(request)

    def reads_whole(self, request: str) -> bool:
        """Whether the request is a calculation and nothing else."""
        return is_only_arithmetic(request)

    def working(self, request: str) -> str | None:
        """Instructions for a request whose answer is one number."""
        return INSTRUCTIONS if asks_one_number(request) else None

    def read_request(self, request: str) -> JsonObject | None:
        """The arithmetic in the request, in signs or in words."""
        expression = find_expression(request)
        return None if expression is None else {"expression": expression}


def _expression(arguments: JsonObject) -> str:
    if "expression" in arguments:
        return str(arguments["expression"])
    a, b = (repr(arguments[side]) for side in ("a", "b"))
    return f"({a}) {_OPERATIONS[arguments['operation']]} ({b})"
