"""The unit conversion tool."""

from fractions import Fraction
from typing import Any

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.interface import Example, Tool
from aeon.tools.unit_requests import CONVERT_UNITS, asks_conversion, read_conversion
from aeon.tools.units import UnitError, convert, is_currency

_UNIT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 40}
_PLAIN_NUMBER = LazyPattern(r"-?\d+(?:/\d+|[.,](?:\d{1,2}|\d{4,}))?")
"""A number that means the same in English and in German: 2.5, 2,5 and 3/4 do, 5.000 does not."""


def _example(request: str, value: float, source: str, target: str) -> Example:
    arguments: JsonObject = {"value": value, "from": source, "to": target}
    step: JsonObject = {
        "description": f"convert {value} {source} to {target}",
        "tool": CONVERT_UNITS,
        "arguments": arguments,
    }
    return Example(request, [step])


class ConvertUnitsTool(Tool):
    """A tool that converts a value between two units of the same kind."""

    name = CONVERT_UNITS
    description = (
        "Convert a value from one unit to another: length, mass, volume (US), temperature, speed, area, energy, data. "
        "Not currencies: they need live rates."
    )
    # The properties are in the order in which prompts show arguments: a constrained model must write them so.
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {"from": _UNIT, "to": _UNIT, "value": {"type": "number"}},
        "required": ["from", "to", "value"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"result": {"type": "number"}, "unit": {"type": "string"}},
        "required": ["result", "unit"],
    }
    is_common = False
    is_repeatable = True
    examples = (
        _example("What is 12 yards in meters?", 12, "yard", "meter"),
        _example("Gib 7 Unzen als Kilogramm an.", 7, "ounce", "kilogram"),
    )

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for an unknown unit, with the closest name, for two kinds of units, and for currencies."""
        try:
            return {"result": convert(kwargs["value"], kwargs["from"], kwargs["to"]), "unit": kwargs["to"]}
        except UnitError as error:
            raise ToolError(f"convert_units cannot convert that: {error}.") from error

    def suits(self, request: str) -> bool:
        """Whether the request asks for a conversion. For currencies too: the tool's error is better than a guess."""
        return asks_conversion(request) or self.read_request(request) is not None

    def reads_whole(self, request: str) -> bool:  # noqa: ARG002  # else it reads no arguments
        return True

    def read_request(self, request: str) -> JsonObject | None:
        """The value and both units, if the request is nothing but the conversion and the tool knows the units."""
        found = read_conversion(request)
        if found is None or not _PLAIN_NUMBER.fullmatch(found["value"]):
            return None
        value = float(Fraction(found["value"].replace(",", ".")))
        arguments: JsonObject = {**found, "value": int(value) if value.is_integer() else value}
        return arguments if is_currency(found["from"]) or is_currency(found["to"]) else self._if_known(arguments)

    def _if_known(self, arguments: JsonObject) -> JsonObject | None:
        try:
            self.invoke(**arguments)
        except ToolError:
            return None
        return arguments
