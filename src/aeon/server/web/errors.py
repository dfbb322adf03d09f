"""How errors of pages look: HTML that says what is wrong and what to do; without a session, the way to sign in."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from aeon.base.errors import AeonError
from aeon.base.next_steps import NextStep
from aeon.server.auth.caller import Caller, signed_in
from aeon.server.edge.problems import HttpError, status_of
from aeon.server.edge.state import correlation_of, state_of
from aeon.server.web.pages import answer, fill, language_of, page
from aeon.server.web.texts import LANGUAGES, text
from aeon.server.web.translation import translate

_OTHER_DOORS: Final = ("/api/", "/v1/", "/mcp", "/hooks/")
"""Paths whose errors are for programs."""

_UNAUTHORIZED: Final = 401

_HEADINGS: Final = {
    403: "error_forbidden",
    404: "error_absent",
    405: "error_absent",
    409: "error_conflict",
    412: "error_conflict",
    422: "error_invalid",
    429: "error_often",
    503: "error_unavailable",
}
"""The keys of the texts that say in the page's language what a status means."""

_ADDRESS_ERRORS: Final = {404: "no_such_address", 405: "address_for_forms"}
"""The keys of the texts for addresses that no page has."""

_Handler: TypeAlias = Callable[[Request, Exception], Response | Awaitable[Response]]


class ShownError(NamedTuple):
    """An error for a page, which translates it: the status of the answer, what is wrong, what to do."""

    status: int
    message: str
    advice: str | NextStep


def shown_error(error: AeonError) -> ShownError:
    """An error for a page that shows more than the error, such as the form that was sent."""
    return ShownError(status_of(error), error.message, error.next)


def show_errors_as_pages(app: FastAPI) -> None:
    """Answer errors of pages with pages; those of other doors stay as they are."""
    for kind in (AeonError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _for_pages(cast(_Handler, app.exception_handlers[kind])))


def sign_in_page(request: Request, *, is_used: bool = False) -> HTMLResponse:
    """The page that says how to sign in; `is_used`: the given link cannot be used any more."""
    provider = state_of(request).provider
    values = {"is_used": is_used, "provider": None if provider is None else provider.name}
    return answer(fill("sign-in.html", language_of(request), values), _UNAUTHORIZED)


def _for_pages(other: _Handler) -> _Handler:
    async def handle(request: Request, error: Exception) -> Response:
        if request.url.path.startswith(_OTHER_DOORS):
            found = other(request, error)
            return await found if isinstance(found, Awaitable) else found
        return await _error_page(request, error)

    return handle


async def _error_page(request: Request, error: Exception) -> Response:
    language = language_of(request)
    found, is_english = _described(error, language)
    if found.status == _UNAUTHORIZED:
        return sign_in_page(request)
    message = translate(language, found.message)
    values: dict[str, object] = {
        "heading": _HEADINGS.get(found.status, "error"),
        "message": message,
        "advice": translate(language, found.advice) or text(language, "begin_again"),
        "words_in": LANGUAGES[0] if is_english and message == found.message else language,
        "status": found.status,
        "correlation": correlation_of(request),
    }
    shown = await _with_navigation(request, values)
    if isinstance(error, HttpError):  # such as when to try again
        shown.headers.update(error.headers)
    return shown


async def _with_navigation(request: Request, values: dict[str, object]) -> HTMLResponse:
    """The error with the links and conversations of the user; alone for nobody, and if the record does not answer."""
    status = cast(int, values["status"])
    try:
        return await page(await _caller(request), request, "error.html", values, status)
    except AeonError:
        return answer(fill("error-alone.html", language_of(request), values), status)


async def _caller(request: Request) -> Caller:
    """Who sends the request: known if it was let in already, else by the cookie of a browser. Raises AeonError."""
    known = getattr(request.state, "user", None)
    if known is None:  # such as at an address where nothing is
        return await signed_in(request)
    state = state_of(request)
    return Caller(known, request.state.credential, await state.workspace(known), state)


def _described(error: Exception, language: str) -> tuple[ShownError, bool]:
    """An error, and whether it is in the words of what raised it, which are English; else in the page's language."""
    cause = error if isinstance(error, AeonError) else error.__cause__
    if isinstance(cause, AeonError):
        return shown_error(cause), True
    if isinstance(error, RequestValidationError):
        problems = [f"{each['loc'][-1]}: {each['msg']}" for each in error.errors()]
        return ShownError(422, "; ".join(problems), text(language, "correct_form")), True
    status = cast(HTTPException, error).status_code
    if status not in _ADDRESS_ERRORS:
        return ShownError(status, str(cast(HTTPException, error).detail), ""), True
    return ShownError(status, text(language, _ADDRESS_ERRORS[status]), ""), False
