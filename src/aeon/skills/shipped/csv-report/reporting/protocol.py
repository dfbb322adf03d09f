"""Reads the request and writes events, one JSON object per line (skills 2)."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import json
import sys
from typing import Any, NamedTuple


def emit(event_type: str, **fields: Any) -> None:
    """Writes one event, in ASCII, so that no locale or lone surrogate can break the line."""
    sys.stdout.write(json.dumps({"version": "0", "type": event_type, **fields}) + "\n")
    sys.stdout.flush()


class ReportRefusalError(Exception):
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


class Request(NamedTuple):
    """The parts of the request on stdin that this skill uses."""

    request_id: str
    input_data: dict[str, Any]


def read_request() -> Request:
    """Returns the request on stdin (skills 1). Raises ReportRefusalError if it is missing or invalid."""
    try:
        request: Any = json.loads(sys.stdin.buffer.read())
        request_id, input_data = str(request.get("requestId", "")), request["input"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ReportRefusalError("bad_request", "stdin has no JSON object with an input; send one.") from None
    if not isinstance(input_data, dict):
        raise ReportRefusalError("bad_input", "The input is not a JSON object; send one.")
    return Request(request_id, input_data)  # pyright: ignore[reportUnknownArgumentType]  # JSON, checked as far as it goes
