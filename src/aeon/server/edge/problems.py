"""Errors as HTTP answers: `application/problem+json` with the members of platform 2 (RFC 9457)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from starlette.responses import JSONResponse

from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.errors import PlatformError
from aeon.server.edge.json_response import JsonResponse

_STATUS_OF: Final[Mapping[str, int]] = {
    "EmbeddingInputError": 422,
    "LLMError": 502,
    "LLMRequestError": 502,
    "ParameterError": 422,
    "StoreUnavailableError": 503,
    "EngineUnavailableError": 503,
}
"""The statuses of errors that have none of their own, by class."""

_TITLES: Final[Mapping[int, str]] = {
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    422: "Unprocessable Content",
}
"""The names of RFC 9110 that Python has since 3.13: what a client compares must not depend on the server's Python."""


class HttpError(AeonError):
    """The request cannot be answered. `status` is the HTTP status; `headers` go with the answer."""

    def __init__(
        self, status: int, message: str, *, next_step: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, next_step=next_step)
        self.status = status
        self.headers = dict(headers or {})


def status_of(error: AeonError) -> int:
    """The HTTP status of an error (platform 2)."""
    if isinstance(error, HttpError | PlatformError):
        return error.status
    for each in type(error).__mro__:
        if each.__name__ in _STATUS_OF:
            return _STATUS_OF[each.__name__]
    return 422 if error.is_wrong_input else 500


def broken_json(position: object, fault: str) -> str:
    """What to say of a body that is not JSON, and from where on if that is known."""
    return f"the body is not JSON: {fault}" + (f" at character {position}, counted from 0" if position else "")


def problem_of(error: AeonError, correlation: str) -> JsonObject:
    """An error as a problem: the members of RFC 9457 beside those of platform 2.

    `next` is what to do about it, as a code and what it is about; `nextStep` says it in words.
    """
    status = status_of(error)
    report = error.report(correlation, datetime.now(UTC).isoformat(timespec="milliseconds"))
    title = _TITLES.get(status) or HTTPStatus(status).phrase
    code = title.lower().replace(" ", "_") if isinstance(error, HttpError) else report["code"]
    return {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": error.message,
        "code": code,
        "message": error.message,
        "correlationId": report["correlationId"],
        "timestamp": report["timestamp"],
        "details": report["details"],
        "next": report["next"],
        "nextStep": report["next_step"],
    }


def problem_response(error: AeonError, correlation: str) -> JSONResponse:
    """The answer for an error."""
    headers = error.headers if isinstance(error, HttpError) else {}
    return JsonResponse(
        problem_of(error, correlation), status_of(error), headers, media_type="application/problem+json"
    )
