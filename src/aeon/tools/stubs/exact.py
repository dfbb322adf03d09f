"""The tool for exact numbers."""

from typing import Any

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.tools.exact_requests import asks_exact, expression_in
from aeon.tools.interface import Example, Tool

_PATTERN = (
    r"^([-+*/%^!(), .0-9]|\{step\.[A-Za-z0-9_.]{1,40}\}|binomial|factorial|root|sqrt|gcd|lcm|is_prime|factors|change"
    r"| choose | of |from | to | in percent){1,200}$"
)


def _example(request: str, words: str, expression: str) -> Example:
    return Example(request, [{"description": words, "tool": "exact", "arguments": {"expression": expression}}])


class ExactTool(Tool):
    """A calculator for exact numbers, without executing code."""

    name = "exact"
    description = (
        "Compute exactly with fractions, factorials (5!), binomial(n, k), root(x, n), sqrt, gcd, lcm, is_prime(n), "
        "factors(n), percent (8% of 250) and change(old, new) in percent. A fraction stays a fraction."
    )
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {"expression": {"type": "string", "minLength": 1, "maxLength": 200}},
        "required": ["expression"],
        "additionalProperties": False,
    }
    offered_schema = {  # noqa: RUF012
        **input_schema,
        "properties": {"expression": {"type": "string", "pattern": _PATTERN}},
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "result": {"type": "string"},
            "decimal": {"type": "number"},
            "is_rounded": {"type": "boolean"},
        },
        "required": ["result"],
    }
    timeout = None  # the size of every number and expression is bounded
    is_common = False
    is_repeatable = True
    examples = (
        _example("What is 1/6 + 3/8 as a fraction?", "the sum of 1/6 and 3/8", "1/6 + 3/8"),
        _example("9! / 6!", "the factorial of 9, divided by that of 6", "9! / 6!"),
        _example("How many ways are there to choose 2 of 9 people?", "9 choose 2", "binomial(9, 2)"),
        _example("Was ist der ggT von 8 und 20?", "the greatest common divisor of 8 and 20", "gcd(8, 20)"),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError if the expression cannot be read, has no value, or one of too many digits."""
        from aeon.tools.exact_numbers import evaluate_exactly

        try:
            number = evaluate_exactly(kwargs["expression"])
        except ValueError as error:
            raise ToolError(f"exact cannot compute that: {error}.") from error
        return {
            "result": number.text,
            **({} if number.decimal is None else {"decimal": number.decimal}),
            **({} if number.is_exact else {"is_rounded": True}),
        }

    def suits(self, request: str) -> bool:
        """Whether the request asks for fractions, factorials, divisors, primes, roots or percent."""
        return asks_exact(request)

    def reads_whole(self, request: str) -> bool:  # noqa: ARG002  # else it reads no arguments
        return True

    def read_request(self, request: str) -> JsonObject | None:
        """The expression of a request that is nothing else."""
        arguments: JsonObject = {"expression": expression_in(request) or ""}
        try:
            self.invoke(**arguments)
        except ToolError:
            return None
        return arguments
