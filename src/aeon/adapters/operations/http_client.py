"""Sends HTTP requests to checked addresses, with limits on size and time; the caller follows redirects."""

import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, allowed_addresses, refuse_readable_key
from aeon.adapters.operations.timeouts import timeout_error
from aeon.adapters.operations.tls import tls_fault
from aeon.base.loggers import room_logger
from aeon.base.next_steps import NextStep
from aeon.llm.adapters.transport import disable_header_logging
from aeon.platform.catalog.operations import OperationError
from aeon.platform.catalog.tool_calls import skip_confirmation

_LOG = room_logger("http")

_MIN_SECONDS = 0.01
_IS_SENT = "send_request_headers.started"
_SECRET_QUERY = "aeon_secret_query"  # noqa: S105  # an extension's name


class HttpRequest(NamedTuple):
    """An HTTP request. Its repr hides headers and body, which may contain credentials."""

    method: str
    url: httpx2.URL
    headers: dict[str, str]
    body: bytes | None
    secret_query: Mapping[str, str] = MappingProxyType({})
    """Query parameters with credentials. They join the URL only on the wire, so that no log shows them."""
    has_credentials: bool = False
    confirm: Callable[[], None] = skip_confirmation
    """Raises if the request may not be sent any more; called once connected (platform 43)."""

    def __repr__(self) -> str:
        return f"HttpRequest({self.method} {self.url.host})"


class HttpResponse(NamedTuple):
    """A response of any status."""

    status: int
    headers: httpx2.Headers
    content: bytes


@dataclass(frozen=True, slots=True)
class HttpSender:
    """Sends requests with limits on seconds and bytes, and on where the peer may be.

    `allow_private`: in a private network; `allow_insecure`: on another machine over http, with credentials.
    """

    resolve: HostResolver
    allow_private: bool
    seconds: float
    max_bytes: int
    verify: ssl.SSLContext
    allow_insecure: bool = False

    def open_client(self) -> httpx2.Client:
        """Open a client for requests to one peer, which the caller closes; it uses no proxy and no redirects."""
        disable_header_logging()
        return httpx2.Client(transport=_SecretQueryTransport(verify=self.verify, trust_env=False), trust_env=False)

    def send(self, client: httpx2.Client, request: HttpRequest) -> HttpResponse:
        """Send a request to the first address of the host that accepts a connection, under the host's name.

        All addresses are checked before the first is tried; a request that was sent is not sent to another. Raises
        OperationError.
        """
        check_headers(request.headers)
        port = port_of(request.url)
        addresses = allowed_addresses(request.url.host, port, self.resolve, allow_private=self.allow_private)
        if request.has_credentials and not self.allow_insecure:
            refuse_readable_key(request.url.scheme, request.url.host, addresses)
        began = time.monotonic()
        ends_at = began + self.seconds
        try:
            response = send_to_first(client, request, addresses, ends_at)
            try:
                content = self._content(response, ends_at)
                _log_response(request, response.status_code, time.monotonic() - began)
                return HttpResponse(response.status_code, response.headers, content)
            finally:
                response.close()
        except httpx2.TimeoutException:
            raise self._timeout_error() from None
        except httpx2.HTTPError as error:
            raise _unreachable(f"{request.url.host}:{port}", error) from None

    def _content(self, response: httpx2.Response, ends_at: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > self.max_bytes:
                raise OperationError(f"the response is longer than {self.max_bytes:,} bytes")
            if time.monotonic() > ends_at:
                raise self._timeout_error()
            parts.append(part)
        return b"".join(parts)

    def _timeout_error(self) -> OperationError:
        return timeout_error(self.seconds)


def _log_response(request: HttpRequest, status: int, seconds: float) -> None:
    """Log neither path nor headers: both may contain credentials."""
    about = {"status": status, "duration": seconds}
    _LOG.debug("%s %s: %d after %.3f s", request.method, request.url.host, status, seconds, extra=about)


def send_to_first(client: httpx2.Client, request: HttpRequest, addresses: list[str], ends_at: float) -> httpx2.Response:
    """Return the unread response of the first address that accepts a connection; each gets a share of the time.

    `ends_at` is a time of the monotonic clock. Raises httpx2.HTTPError if the last address fails.
    """
    *others, last = addresses
    for position, address in enumerate(others):
        with suppress(httpx2.ConnectError, httpx2.ConnectTimeout):  # nothing of the request was sent
            return client.send(_request(client, request, address, ends_at, len(addresses) - position), stream=True)
    return client.send(_request(client, request, last, ends_at, 1), stream=True)


def _request(
    client: httpx2.Client, request: HttpRequest, address: str, ends_at: float, addresses_left: int
) -> httpx2.Request:
    """Build a request to the address, with the host's name in the header and in TLS."""
    seconds = max(_MIN_SECONDS, ends_at - time.monotonic())
    return client.build_request(
        request.method,
        request.url.copy_with(host=address),
        headers={**request.headers, "host": request.url.netloc.decode()},
        content=request.body,
        timeout=httpx2.Timeout(seconds, connect=seconds / addresses_left),
        extensions={
            "sni_hostname": request.url.host,
            _SECRET_QUERY: request.secret_query,
            "trace": _confirm_before_sending(request.confirm),
        },
    )


def _confirm_before_sending(confirm: Callable[[], None]) -> Callable[[str, Mapping[str, object]], None]:
    """Return a trace hook that calls `confirm` before the headers are sent."""

    def trace(event: str, _about: Mapping[str, object]) -> None:
        if event.endswith(_IS_SENT):
            confirm()

    return trace


class _SecretQueryTransport(httpx2.HTTPTransport):
    """Adds a request's secret parameters to its URL after the last point that logs it."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        secret_query = request.extensions.get(_SECRET_QUERY)
        if secret_query:
            url, extensions = request.url.copy_merge_params(secret_query), request.extensions
            request = httpx2.Request(
                request.method, url, headers=request.headers, stream=request.stream, extensions=extensions
            )
        return super().handle_request(request)


def _unreachable(where: str, error: httpx2.HTTPError) -> OperationError:
    fault = tls_fault(error)
    if fault is not None:
        return OperationError(f"the service at {where} could not be reached: {fault.problem}", next_step=fault.advice)
    if isinstance(error, httpx2.DecodingError):
        return OperationError(
            f"the answer of the service at {where} could not be decoded: it is not what its Content-Encoding says",
            next_step="Look into the log of the service, and of a proxy in front of it.",
        )
    if isinstance(error, (httpx2.RemoteProtocolError, httpx2.ReadError)):
        return OperationError(
            f"the service at {where} gave no complete HTTP answer: {type(error).__name__}",
            next_step="Look into the log of the service, and of a proxy in front of it.",
            is_transient=True,
        )
    return OperationError(
        f"the service at {where} could not be reached: {type(error).__name__}",
        next_step=NextStep("services.start", where=where),
        is_transient=True,
    )


def url_of(text: str) -> httpx2.URL:
    """Parse a URL. Raises OperationError without repeating the text, which may contain a password."""
    try:
        return httpx2.URL(text)
    except httpx2.InvalidURL:
        raise OperationError("the endpoint is not a valid HTTP address") from None


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise an OperationError that names an invalid header, before a client's error could quote its value."""
    invalid = [name for name, value in headers.items() if not (f"{name}{value}".isascii() and value.isprintable())]
    if invalid:
        raise OperationError(
            f"the header {invalid[0]!r} would contain characters that are invalid in headers",
            next_step="Correct the input or rotate the secret: no line ends, only ASCII.",
        )


def port_of(url: httpx2.URL) -> int:
    """Return the port of an http or https URL."""
    return url.port or (443 if url.scheme == "https" else 80)


_UNAUTHORIZED = 401


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends requests for one host to one address, and refuses others. Keeps the host's name in the header and in TLS.

    `on_refusal` is called for every 401 response, before the client reads it.
    """

    def __init__(self, host: str, address: str, verify: ssl.SSLContext, on_refusal: Callable[[], None]) -> None:
        self._host = host
        self._address = address
        self._on_unauthorized = on_refusal
        self._inner = httpx2.AsyncHTTPTransport(verify=verify, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.host != self._host:
            raise httpx2.ConnectError("a request to another host")
        pinned = httpx2.Request(
            request.method,
            request.url.copy_with(host=self._address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": self._host},
        )
        response = await self._inner.handle_async_request(pinned)
        if response.status_code == _UNAUTHORIZED:
            self._on_unauthorized()
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()
