"""Reads the request and writes events, one JSON object per line (skills 2)."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import json
import sys
from typing import Any


def emit(event_type: str, **fields: Any) -> None:
    """Writes one event, in ASCII, so that no locale or lone surrogate can break the line."""
    sys.stdout.write(json.dumps({"version": "0", "type": event_type, **fields}) + "\n")
    sys.stdout.flush()


class StoryRefusalError(Exception):
    """The request cannot be fulfilled.

    It ends the script with an error event and a `done` with `ok` false.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def report(self) -> None:
        """Writes the refusal as events."""
        emit("error", errorCode=self.code, errorMessage=self.message)
        emit("done", ok=False, summary=self.message[:500])


def read_input() -> dict[str, Any]:
    """Returns the `input` of the request on stdin (skills 1).

    Raises StoryRefusalError if it is missing or invalid.
    """
    try:
        request: Any = json.loads(sys.stdin.buffer.read())
        input_data: Any = request["input"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StoryRefusalError("bad_request", "stdin has no JSON object with an input; send one.") from None
    if not isinstance(input_data, dict):
        raise StoryRefusalError("bad_input", "The input is not a JSON object; send one.")
    return input_data  # pyright: ignore[reportUnknownVariableType]  # JSON, checked as far as JSON goes
