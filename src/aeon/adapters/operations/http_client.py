"""One HTTP exchange with addresses that were checked: limited in size and time, redirects left to the caller."""

import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, allowed_addresses, refuse_readable_key
from aeon.adapters.operations.tls import tls_fault
from aeon.llm.adapters.transport import disable_header_logging
from aeon.platform.catalog.operations import OperationError
from aeon.platform.catalog.tool_calls import skip_confirmation

_LEAST_SECONDS = 0.01
_IS_SENT = "send_request_headers.started"
_SECRET_QUERY = "aeon_secret_query"  # noqa: S105  # an extension's name


class HttpRequest(NamedTuple):
    """A request. Its `repr` is nobody's business: headers and body may hold credentials."""

    method: str
    url: httpx2.URL
    headers: dict[str, str]
    body: bytes | None
    secret_query: Mapping[str, str] = MappingProxyType({})
    """Parameters that hold credentials. They join the URL on the wire alone, so that no log shows them."""
    has_credentials: bool = False
    confirm: Callable[[], None] = skip_confirmation
    """Raises when the request may be sent no more; asked once a connection is there (platform 43)."""

    def __repr__(self) -> str:
        return f"Asked({self.method} {self.url.host})"


class HttpResponse(NamedTuple):
    """What came back, whatever its status."""

    status: int
    headers: httpx2.Headers
    content: bytes


@dataclass(frozen=True, slots=True)
class HttpSender:
    """How a peer is asked: within how many seconds and bytes, and where it may be.

    `allow_private`: in a private network; `allow_insecure`: on another machine over http, with credentials.
    """

    resolve: HostResolver
    allow_private: bool
    seconds: float
    max_bytes: int
    verify: ssl.SSLContext
    allow_insecure: bool = False

    def open_client(self) -> httpx2.Client:
        """A client for some exchanges with one peer, to be closed. No proxy and no redirect comes between."""
        disable_header_logging()
        return httpx2.Client(transport=_SecretQueryTransport(verify=self.verify, trust_env=False), trust_env=False)

    def send(self, client: httpx2.Client, asked: HttpRequest) -> HttpResponse:
        """One request to the first address of the host that takes a connection, under the host's own name.

        All addresses are checked before the first is asked; a request that was sent goes to no other. Raises
        OperationError.
        """
        check_headers(asked.headers)
        port = port_of(asked.url)
        addresses = allowed_addresses(asked.url.host, port, self.resolve, allow_private=self.allow_private)
        if asked.has_credentials and not self.allow_insecure:
            refuse_readable_key(asked.url.scheme, asked.url.host, addresses)
        ends_at = time.monotonic() + self.seconds
        try:
            response = send_to_first(client, asked, addresses, ends_at)
            try:
                return HttpResponse(response.status_code, response.headers, self._content(response, ends_at))
            finally:
                response.close()
        except httpx2.TimeoutException:
            raise self._timeout_error() from None
        except httpx2.HTTPError as error:
            raise _unreachable(f"{asked.url.host}:{port}", error) from None

    def _content(self, response: httpx2.Response, ends_at: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > self.max_bytes:
                raise OperationError(f"the answer is longer than {self.max_bytes:,} bytes")
            if time.monotonic() > ends_at:
                raise self._timeout_error()
            parts.append(part)
        return b"".join(parts)

    def _timeout_error(self) -> OperationError:
        return OperationError(f"no answer within {self.seconds:g} s", is_transient=True)


def send_to_first(client: httpx2.Client, asked: HttpRequest, addresses: list[str], ends_at: float) -> httpx2.Response:
    """The response, not read yet, of the first address that takes a connection; each gets a fair share of the time.

    `ends_at` is a time of the monotonic clock. Raises httpx2.HTTPError as the last address fails.
    """
    *others, last = addresses
    for position, address in enumerate(others):
        with suppress(httpx2.ConnectError, httpx2.ConnectTimeout):  # nothing of the request was sent
            return client.send(_request(client, asked, address, ends_at, len(addresses) - position), stream=True)
    return client.send(_request(client, asked, last, ends_at, 1), stream=True)


def _request(
    client: httpx2.Client, asked: HttpRequest, address: str, ends_at: float, addresses_left: int
) -> httpx2.Request:
    """A request that goes to the address, under the host's own name in the header and in TLS."""
    seconds = max(_LEAST_SECONDS, ends_at - time.monotonic())
    return client.build_request(
        asked.method,
        asked.url.copy_with(host=address),
        headers={**asked.headers, "host": asked.url.netloc.decode()},
        content=asked.body,
        timeout=httpx2.Timeout(seconds, connect=seconds / addresses_left),
        extensions={
            "sni_hostname": asked.url.host,
            _SECRET_QUERY: asked.secret_query,
            "trace": _confirm_before_sending(asked.confirm),
        },
    )


def _confirm_before_sending(confirm: Callable[[], None]) -> Callable[[str, Mapping[str, object]], None]:
    """What the transport tells how far a request is."""

    def told(event: str, _about: Mapping[str, object]) -> None:
        if event.endswith(_IS_SENT):
            confirm()

    return told


class _SecretQueryTransport(httpx2.HTTPTransport):
    """Adds a request's secret parameters to its URL when nothing logs it any more."""

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
        return OperationError(f"it could not be asked at {where}: {fault.problem}", next_step=fault.advice)
    return OperationError(
        f"it could not be asked at {where}: {type(error).__name__}",
        next_step=f"See whether the service runs at {where}, and `aeon health`.",
        is_transient=True,
    )


def url_of(text: str) -> httpx2.URL:
    """The address as a URL. Raises OperationError for what is none; it is not repeated, it may hold a password."""
    try:
        return httpx2.URL(text)
    except httpx2.InvalidURL:
        raise OperationError("the endpoint is no address of an HTTP service") from None


def check_headers(headers: Mapping[str, str]) -> None:
    """Raises OperationError that names a header whose value cannot be sent, before a client's own error quotes it."""
    odd = [name for name, value in headers.items() if not (f"{name}{value}".isascii() and value.isprintable())]
    if odd:
        raise OperationError(
            f"the header {odd[0]!r} would hold characters that no header may have",
            next_step="Correct the input or rotate the secret, without line ends and letters beyond ASCII.",
        )


def port_of(url: httpx2.URL) -> int:
    """The port that an http or https address means."""
    return url.port or (443 if url.scheme == "https" else 80)


_UNAUTHORIZED = 401


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends what is for one host to one address, and nothing elsewhere. The host's name stays in the header and in TLS.

    `on_unauthorized` is called for every answer that is 401, before its client reads it.
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
