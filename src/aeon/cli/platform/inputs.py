"""Reads the inputs of runs, the answers to questions, and times from the command line."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from aeon.base.clock import normalize_instant
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_strict

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_AGO = re.compile(r"([0-9]{1,6})([mhd])")


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


def parse_since(text: str | None) -> str | None:
    """Return the instant of `24h` ago, or the given instant, normalized; None without a text. Raises InputError."""
    if text is None:
        return None
    if ago := _AGO.fullmatch(text):
        return (datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat(timespec="microseconds")
    if instant := normalize_instant(text):
        return instant
    raise InputError(
        f"{text!r} is not a time.", next_step="Give how long ago, as 30m, 24h or 7d, or an instant (ISO 8601)."
    )
