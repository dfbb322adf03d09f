"""The events that a script writes, one JSON object a line (skills 2)."""  # noqa: INP001  # a folder beside its script, no part of the package aeon

import json
import sys
from typing import Any


def emit(event_type: str, **fields: Any) -> None:
    """Write one event. ASCII, so that no locale and no lone surrogate can break the line."""
    sys.stdout.write(json.dumps({"version": "0", "type": event_type, **fields}) + "\n")
    sys.stdout.flush()


class RefusalError(Exception):
    """What was asked for cannot be done. Ends the script politely: an error event, then `done` with `ok` false."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def report(self) -> None:
        """Tell the caller, as events."""
        emit("error", errorCode=self.code, errorMessage=self.message)
        emit("done", ok=False, summary=self.message[:500])


def read_input() -> dict[str, Any]:
    """The `input` of the request on stdin (skills 1). Raises RefusalError when there is none."""
    try:
        request: Any = json.loads(sys.stdin.buffer.read())
        given: Any = request["input"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RefusalError("bad_request", "stdin held no JSON object with an input; send one.") from None
    if not isinstance(given, dict):
        raise RefusalError("bad_input", "The input is no JSON object; send one.")
    return given  # pyright: ignore[reportUnknownVariableType]  # JSON, checked as far as JSON goes
