"""One HTTP exchange with a model server: bounded in time and size, with a distinct error per failure (core 8)."""

import json
import logging
import ssl
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address

import httpx2

from aeon.base.clock import Clock
from aeon.base.errors import ConfigError, LLMError, LLMRequestError
from aeon.base.json import JsonObject
from aeon.llm.adapters.wire import error_message, parse_object
from aeon.llm.retry import OTHER_API, AttemptFailed, is_retryable_status, retry_after_seconds

JSON_CONTENT_TYPE = "application/json"
EVENT_STREAM_CONTENT_TYPE = "text/event-stream"
"""The two content types that a request can ask for."""

_CONNECT_SECONDS = 10.0
_ERROR_BODY_BYTES = 64 * 1024
_LAST_PORT = 65535
_REQUEST_ID_HEADERS = ("x-request-id", "request-id")


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """The limits of one exchange: seconds of silence inside a stream, seconds in total, bytes of the response.

    A server that answers in one piece is silent while it works, so only `total_timeout` limits it.
    """

    idle_timeout: float = 60.0
    total_timeout: float = 300.0
    max_response_bytes: int = 32 * 1024 * 1024


class IncomingResponse:
    """A successful response whose body is still arriving. Reading raises AttemptFailed if it breaks off or stalls."""

    def __init__(
        self, response: httpx2.Response, limits: TransportLimits, clock: Clock, *, ends_at: float, silence: float
    ) -> None:
        self._response = response
        self._limits = limits
        self._silence = silence
        self._clock = clock
        self._ends_at = ends_at

    @property
    def request_id(self) -> str | None:
        """The server's id of this request."""
        headers = self._response.headers
        return next((headers[name] for name in _REQUEST_ID_HEADERS if name in headers), None)

    def chunks(self) -> Iterator[bytes]:
        """Yields the body as it arrives. Raises LLMError beyond the size limit."""
        size = 0
        with _translated_errors(self._silence):
            for chunk in self._response.iter_bytes():
                size += len(chunk)
                if size > self._limits.max_response_bytes:
                    raise LLMError(
                        f"The model server's response is larger than {self._limits.max_response_bytes:,} bytes."
                    )
                if self._clock.monotonic() > self._ends_at:
                    raise AttemptFailed(f"the response was not complete after {self._limits.total_timeout:g} s")
                yield chunk

    def read(self) -> bytes:
        """The whole body."""
        return b"".join(self.chunks())


class HTTPTransport:
    """Posts JSON to one API root. Never follows redirects, because they would receive the API key.

    Proxies from the environment are used for remote hosts only: loopback traffic stays on this machine.
    """

    def __init__(self, base_url: str, headers: Mapping[str, str], limits: TransportLimits, clock: Clock) -> None:
        self.root = api_root(base_url)
        self._headers = {**headers, "accept-encoding": "identity", "content-type": "application/json"}
        self._limits = limits
        self._clock = clock
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    @contextmanager
    def post(self, path: str, body: JsonObject, *, accept: str) -> Generator[IncomingResponse]:
        """Sends `body`; yields the response if its header reports success and the content type `accept`.

        Raises AttemptFailed for temporary failures, LLMRequestError for permanent ones.
        """
        ends_at = self._clock.monotonic() + self._limits.total_timeout
        silence = (
            min(self._limits.idle_timeout, self._limits.total_timeout)
            if accept == EVENT_STREAM_CONTENT_TYPE
            else self._limits.total_timeout
        )
        response = self._send(path, body, accept, silence)
        try:
            incoming = IncomingResponse(response, self._limits, self._clock, ends_at=ends_at, silence=silence)
            self._check(response, incoming, accept)
            yield incoming
        finally:
            response.close()

    def close(self) -> None:
        """Closes the open connections; the next post opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _send(self, path: str, body: JsonObject, accept: str, silence: float) -> httpx2.Response:
        client = self._open()
        url = self.root.copy_with(path=f"{self.root.path.rstrip('/')}/{path}")
        timeout = httpx2.Timeout(silence, connect=min(_CONNECT_SECONDS, silence))
        request = client.build_request("POST", url, content=_encoded(body), headers={"accept": accept}, timeout=timeout)
        with _translated_errors(silence):
            return client.send(request, stream=True)

    def _open(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                is_local = is_loopback(self.root.host)
                self._client = httpx2.Client(
                    headers=self._headers,
                    trust_env=not is_local,
                    verify=_no_tls() if is_local and self.root.scheme == "http" else True,
                )
                disable_header_logging()
            return self._client

    def _check(self, response: httpx2.Response, incoming: IncomingResponse, accept: str) -> None:
        if not response.is_success:
            self._refuse(response, incoming)
        content_type = response.headers.get("content-type", "none").partition(";")[0].strip().lower()
        if content_type != accept:
            raise AttemptFailed(f"the response's content type is {content_type}, not {accept}", next_step=OTHER_API)

    def _refuse(self, response: httpx2.Response, incoming: IncomingResponse) -> None:
        status = response.status_code
        message = _reported_message(incoming)
        if is_retryable_status(status):
            wait = retry_after_seconds(response.headers, self._clock.now())
            if status == HTTPStatus.TOO_MANY_REQUESTS:
                raise AttemptFailed(f"HTTP {status}: {message}", retry_after=wait, next_step=_BUSY)
            raise AttemptFailed(f"HTTP {status}: {message}", retry_after=wait)
        if response.has_redirect_location:
            message = f"it redirects to {response.headers['location']}, which is not followed with an API key"
        raise LLMRequestError(
            f"The model server at {self.root} refused the request with HTTP {status}: {message.rstrip('.')}.",
            next_step=_advice(status, message),
            status=status,
        )


def api_root(base_url: str) -> httpx2.URL:
    """The root URL of an API; a URL without a path gets /v1.

    Raises ConfigError for anything but a plain http(s) URL.
    """
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise ConfigError(f"The base URL cannot be read: {error}.", next_step=_URL_ADVICE) from None
    if url.scheme not in {"http", "https"} or not url.host or (url.port or 0) > _LAST_PORT:
        raise ConfigError(f"The base URL {str(url)!r} is not an http or https address.", next_step=_URL_ADVICE)
    if url.userinfo or url.query or url.fragment:
        raise ConfigError("The base URL contains a password, a query or a fragment.", next_step=_URL_ADVICE)
    return url.copy_with(path="/v1") if url.path in {"", "/"} else url


_URL_ADVICE = "Write it as https://host/v1, and pass the key separately as api_key."


_BUSY = "It limits the requests of its users: try again later, or look up your quota there."


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _no_tls() -> ssl.SSLContext:
    # The client always builds a TLS context; this one trusts no certificate and skips 50 ms of reading them.
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def disable_header_logging() -> None:
    """Stops httpcore2 from logging whole response headers at DEBUG, with cookies and echoed keys.

    Set the level of the logger `httpcore2` to see them.
    """
    wire_log = logging.getLogger("httpcore2")
    if wire_log.level == logging.NOTSET:
        wire_log.setLevel(logging.INFO)


def _encoded(body: JsonObject) -> bytes:
    # Not canonical: a schema's key order is the order in which the model writes its fields.
    return json.dumps(body, separators=(",", ":")).encode()


def _reported_message(incoming: IncomingResponse) -> str:
    """The message of an error response, as far as it can be read."""
    body = bytearray()
    try:
        for chunk in incoming.chunks():
            body += chunk
            if len(body) >= _ERROR_BODY_BYTES:
                break
    except AttemptFailed:
        pass  # the status is enough
    text = body.decode(errors="replace")
    try:
        return error_message(parse_object(text)) or text
    except AttemptFailed:
        return text or "(no further message)"


def _advice(status: int, message: str) -> str:
    if "max_completion_tokens" in message:
        return 'Build the adapter with max_tokens_field="max_completion_tokens".'
    if "temperature" in message and "support" in message:
        return "Build the adapter with send_temperature=False, because this model does not accept a temperature."
    by_status = {
        401: "Check the API key.",
        403: "Check the API key and its permissions.",
        404: "Check the base URL (most end in /v1) and the model's name.",
        413: "Shorten the prompt.",
    }
    return by_status.get(status, "Correct what the server names, then run again.")


def _is_refused(error: BaseException | None) -> bool:
    """Whether nothing listens at the address: the system says so in the cause of the client's error."""
    while error is not None and not isinstance(error, ConnectionRefusedError):
        error = error.__cause__ or error.__context__
    return error is not None


@contextmanager
def _translated_errors(silence: float) -> Generator[None]:
    """Translates the client's errors into AttemptFailed with a clear reason."""
    try:
        yield
    except httpx2.ConnectTimeout:
        raise AttemptFailed("connecting timed out") from None
    except httpx2.TimeoutException:
        raise AttemptFailed(f"nothing arrived for {silence:g} s") from None
    except httpx2.ConnectError as error:
        raise AttemptFailed(f"cannot connect ({error})", is_refused=_is_refused(error)) from None
    except httpx2.TransportError as error:
        raise AttemptFailed(f"the connection broke ({error or type(error).__name__})") from None
    except httpx2.DecodingError as error:
        raise AttemptFailed(f"the response cannot be decoded ({error})") from None
