"""The first thing that every request meets: names, origins, sizes and headers (platform 31; RFC 9110 15.5.20)."""

import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final, TypeAlias

from aeon.server.edge.problems import HttpError, problem_response

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

MAX_BODY: Final = 1 << 20
"""The most bytes of a request's body."""

MAX_UPLOAD: Final = 200 << 20
"""The most bytes of a message with attachments, which is sent as a form of several parts."""

_CHANGING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS: Final = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Guard:
    """Wraps an ASGI application. Refuses before any route is looked up.

    A Host that is not one of `hosts` (with port) is answered with 421, so that a page of another name that leads to
    this address (DNS rebinding) reads nothing. A change that a browser sends from another origin is answered with 403;
    other ports of this machine are other origins. With `only_https`, what was sent over plain http is answered with
    403, since others may have read it.
    """

    def __init__(self, app: AsgiApp, hosts: Iterable[str], *, only_https: bool = False) -> None:
        self._app = app
        self._only_https = only_https
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        correlation = _correlation_id(headers)
        scope.setdefault("state", {})["correlation_id"] = correlation
        guarded = _with_headers(send, correlation)
        body = _CountedBody(receive, MAX_UPLOAD if _is_form(headers) else MAX_BODY)
        refused = self._refusal(scope, headers) or body.refusal(headers)
        if refused is not None:
            await problem_response(refused, correlation)(scope, receive, guarded)
            return
        await self._app(scope, body, guarded)

    def _refusal(self, scope: Message, headers: dict[str, list[str]]) -> HttpError | None:
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return HttpError(421, "This server has another name.", next_step="Use the address that it printed.")
        if self._only_https and scope.get("scheme") != "https":
            return HttpError(403, "This server answers https alone.", next_step="Ask it by https.")
        if scope["method"] in _CHANGING and not _is_own_page(headers, scope.get("scheme", "http")):
            return HttpError(403, "The request comes from a page of another origin.")
        if b"%00" in scope["query_string"] or "\0" in scope["path"]:
            return HttpError(400, "The address has a NUL character, which nothing here has.")
        return None


def _is_own_page(headers: dict[str, list[str]], scheme: str) -> bool:
    """Whether a change comes from a page of this very origin, or from a program and not from a page."""
    if "authorization" in headers and "cookie" not in headers:
        return True  # a page of another origin cannot send this header without being asked first
    origins = headers.get("origin")
    if origins is not None:
        return origins == [f"{scheme}://{headers['host'][0].lower()}"]
    return all(each in {"same-origin", "none"} for each in headers.get("sec-fetch-site", []))


class _CountedBody:
    """Receives a body of at most `limit` bytes; a longer one raises HttpError where it is read."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._left = limit

    def refusal(self, headers: dict[str, list[str]]) -> HttpError | None:
        """Why a body of the announced size is refused."""
        lengths = headers.get("content-length", [])
        if any(not each.isdecimal() for each in lengths) or len(set(lengths)) > 1:
            return HttpError(400, "The length of the body is not clear.")
        return self._too_large() if lengths and int(lengths[0]) > self._limit else None

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise self._too_large()
        return message

    def _too_large(self) -> HttpError:
        return HttpError(413, f"The body has more than {self._limit:,} bytes.", next_step="Send less at once.")


def _with_headers(send: Send, correlation: str) -> Send:
    own = [*_HEADERS, (b"x-request-id", correlation.encode())]

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", [])}
            message["headers"] = [*message.get("headers", []), *(each for each in own if each[0] not in given)]
        await send(message)

    return guarded


def _headers(scope: Message) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _is_form(headers: dict[str, list[str]]) -> bool:
    return headers.get("content-type", [""])[0].startswith("multipart/form-data")


def _correlation_id(headers: dict[str, list[str]]) -> str:
    """The client's own id if it is a harmless one, else a new one."""
    given = headers.get("x-request-id", [""])[0]
    is_harmless = 0 < len(given) <= 64 and given.isascii() and given.replace("-", "").isalnum()  # noqa: PLR2004  # as RFC-like ids
    return given if is_harmless else secrets.token_hex(8)
