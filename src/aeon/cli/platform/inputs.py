"""Reads the inputs of runs and the answers to questions from the command line."""

from collections.abc import Sequence

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_strict


def read_inputs(inputs: Sequence[str]) -> JsonObject:
    """Parse `name=value` pairs; a value is JSON or else text. Raises InputError with all that are malformed."""
    malformed = [each for each in inputs if "=" not in each or each.startswith("=")]
    if malformed:
        raise InputError(
            f"These inputs are not of the form name=value: {', '.join(malformed)}.",
            next_step='Write, for example: --input topic="tea"',
        )
    pairs = (each.partition("=") for each in inputs)
    return {name: parse_value(value) for name, _, value in pairs}


def parse_value(text: str) -> Json:
    """Return the parsed JSON, or the text itself if it is not JSON."""
    try:
        return parse_strict(text)
    except ValueError:
        return text
