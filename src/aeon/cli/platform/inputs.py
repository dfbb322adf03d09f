"""Reads the inputs of runs and the answers to questions from the command line."""

from collections.abc import Sequence

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_strict


def read_inputs(inputs: Sequence[str]) -> JsonObject:
    """Read `name=value` arguments; a value that is not JSON is text. Raises InputError for wrong arguments."""
    wrong = [each for each in inputs if "=" not in each or each.startswith("=")]
    if wrong:
        raise InputError(
            f"These inputs are not of the form name=value: {', '.join(wrong)}.",
            next_step='Write, for example: --input topic="tea"',
        )
    pairs = (each.partition("=") for each in inputs)
    return {name: parse_value(value) for name, _, value in pairs}


def parse_value(text: str) -> Json:
    """The value of text that is JSON, else the text itself."""
    try:
        return parse_strict(text)
    except ValueError:
        return text
