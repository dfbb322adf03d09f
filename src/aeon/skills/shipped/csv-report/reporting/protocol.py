"""The events that a script writes, one JSON object a line (skills 2)."""  # noqa: INP001  # a folder beside its script, no part of the package aeon

import json
import sys
from typing import Any, NamedTuple


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


class Request(NamedTuple):
    """What came on stdin, as far as this skill uses it."""

    request_id: str
    given: dict[str, Any]


def read_request() -> Request:
    """The request on stdin (skills 1). Raises RefusalError when there is none."""
    try:
        request: Any = json.loads(sys.stdin.buffer.read())
        request_id, given = str(request.get("requestId", "")), request["input"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise RefusalError("bad_request", "stdin held no JSON object with an input; send one.") from None
    if not isinstance(given, dict):
        raise RefusalError("bad_input", "The input is no JSON object; send one.")
    return Request(request_id, given)  # pyright: ignore[reportUnknownArgumentType]  # JSON, checked as far as it goes
