"""Inputs of runs and answers to questions, as they are written on the command line."""

from collections.abc import Sequence

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_strict


def read_inputs(inputs: Sequence[str]) -> JsonObject:
    """`name=value` each; a value that is JSON is that, else it is text. Raises InputError with all that are neither."""
    wrong = [each for each in inputs if "=" not in each or each.startswith("=")]
    if wrong:
        raise InputError(
            f"These inputs are not of the form name=value: {', '.join(wrong)}.",
            next_step='Write, for example: --input topic="tea"',
        )
    pairs = (each.partition("=") for each in inputs)
    return {name: value_of(value) for name, _, value in pairs}


def value_of(text: str) -> Json:
    """What is JSON as that, else the text."""
    try:
        return parse_strict(text)
    except ValueError:
        return text
