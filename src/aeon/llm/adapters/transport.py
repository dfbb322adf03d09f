"""One HTTP exchange with a model server: bounded in time and size, every fault told apart (core 8)."""

import json
import logging
import ssl
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address

import httpx2

from aeon.base.clock import Clock
from aeon.base.errors import ConfigError, LLMError, LLMRequestError
from aeon.base.json import JsonObject
from aeon.llm.adapters.wire import error_message, parse_object
from aeon.llm.retry import AttemptFailed, is_retryable_status, retry_after_seconds

JSON_CONTENT_TYPE = "application/json"
EVENT_STREAM_CONTENT_TYPE = "text/event-stream"
"""The two types of answer there are to ask for."""

_CONNECT_SECONDS = 10.0
_ERROR_BODY_BYTES = 64 * 1024
_LAST_PORT = 65535
_REQUEST_ID_HEADERS = ("x-request-id", "request-id")


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """What one exchange may take: seconds of silence inside a stream, seconds in all, bytes of answer.

    A server that answers in one piece is silent while it thinks, so only `total` binds it.
    """

    idle_timeout: float = 60.0
    total_timeout: float = 300.0
    max_response_bytes: int = 32 * 1024 * 1024


class IncomingResponse:
    """A successful answer whose body is still coming. Reading it raises AttemptFailed when it breaks off or stalls."""

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
        """The id under which the server knows this request."""
        headers = self._response.headers
        return next((headers[name] for name in _REQUEST_ID_HEADERS if name in headers), None)

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes. Raises LLMError beyond the size limit."""
        size = 0
        with _faults_told(self._silence):
            for chunk in self._response.iter_bytes():
                size += len(chunk)
                if size > self._limits.max_response_bytes:
                    raise LLMError(
                        f"The model server's answer is larger than {self._limits.max_response_bytes:,} bytes."
                    )
                if self._clock.monotonic() > self._ends_at:
                    raise AttemptFailed(f"the answer was not complete after {self._limits.total_timeout:g} s")
                yield chunk

    def read(self) -> bytes:
        """The whole body."""
        return b"".join(self.chunks())


class HTTPTransport:
    """Posts JSON to one API root. Redirects are never followed, since the key would travel with them.

    Proxies of the environment serve remote hosts only: loopback traffic stays on this machine.
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
        """Send `body`; the answer, once its head says it is a good one of type `accept`.

        Raises AttemptFailed for what may pass, LLMRequestError for what will not.
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
        """Close kept connections; the next post opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _send(self, path: str, body: JsonObject, accept: str, silence: float) -> httpx2.Response:
        client = self._open()
        url = self.root.copy_with(path=f"{self.root.path.rstrip('/')}/{path}")
        timeout = httpx2.Timeout(silence, connect=min(_CONNECT_SECONDS, silence))
        request = client.build_request("POST", url, content=_encoded(body), headers={"accept": accept}, timeout=timeout)
        with _faults_told(silence):
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
        given = response.headers.get("content-type", "none").partition(";")[0].strip().lower()
        if given != accept:
            raise AttemptFailed(f"the answer's content type is {given}, not {accept}")

    def _refuse(self, response: httpx2.Response, incoming: IncomingResponse) -> None:
        status = response.status_code
        said = _said(incoming)
        if is_retryable_status(status):
            wait = retry_after_seconds(response.headers, self._clock.now())
            raise AttemptFailed(f"HTTP {status}: {said}", retry_after=wait)
        if response.has_redirect_location:
            said = f"it redirects to {response.headers['location']}, which is not followed with an API key"
        raise LLMRequestError(
            f"The model server at {self.root} refused the request with HTTP {status}: {said.rstrip('.')}.",
            next_step=_advice(status, said),
            status=status,
        )


def api_root(base_url: str) -> httpx2.URL:
    """The URL below which an API lies; a URL without any path means its /v1.

    Raises ConfigError for what is no plain http(s) URL.
    """
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise ConfigError(f"The base URL cannot be read: {error}.", next_step=_URL_ADVICE) from None
    if url.scheme not in {"http", "https"} or not url.host or (url.port or 0) > _LAST_PORT:
        raise ConfigError(f"The base URL {str(url)!r} is no http or https address.", next_step=_URL_ADVICE)
    if url.userinfo or url.query or url.fragment:
        raise ConfigError("The base URL holds a password, a query or a fragment.", next_step=_URL_ADVICE)
    return url.copy_with(path="/v1") if url.path in {"", "/"} else url


_URL_ADVICE = "Give it as https://host/v1, and the key separately as api_key."


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine itself."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _no_tls() -> ssl.SSLContext:
    # The client builds a TLS context in any case; this one trusts nobody and skips 50 ms of reading certificates.
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def disable_header_logging() -> None:
    """Keeps httpcore2 from logging response headers whole at DEBUG, cookies and echoed keys with them.

    Set the level of the logger `httpcore2` to see them.
    """
    wire_log = logging.getLogger("httpcore2")
    if wire_log.level == logging.NOTSET:
        wire_log.setLevel(logging.INFO)


def _encoded(body: JsonObject) -> bytes:
    # Not canonical: sorted keys would change the order in which a schema makes the model write its fields.
    return json.dumps(body, separators=(",", ":")).encode()


def _said(incoming: IncomingResponse) -> str:
    """What an error answer says, as far as it can be read."""
    body = bytearray()
    try:
        for chunk in incoming.chunks():
            body += chunk
            if len(body) >= _ERROR_BODY_BYTES:
                break
    except AttemptFailed:
        pass  # the status has told what matters
    text = body.decode(errors="replace")
    try:
        return error_message(parse_object(text)) or text
    except AttemptFailed:
        return text or "(it said nothing more)"


def _advice(status: int, said: str) -> str:
    if "max_completion_tokens" in said:
        return 'Build the adapter with max_tokens_field="max_completion_tokens".'
    if "temperature" in said and "support" in said:
        return "Build the adapter with send_temperature=False, since this model takes none."
    by_status = {
        401: "Check the API key.",
        403: "Check the API key and what it may use.",
        404: "Check the base URL (most end in /v1) and the model's name.",
        413: "Shorten the prompt.",
    }
    return by_status.get(status, "Correct what the server names, then run again.")


@contextmanager
def _faults_told(silence: float) -> Generator[None]:
    """Turn the client's errors into failed attempts that say what happened."""
    try:
        yield
    except httpx2.ConnectTimeout:
        raise AttemptFailed("no connection in time") from None
    except httpx2.TimeoutException:
        raise AttemptFailed(f"nothing came for {silence:g} s") from None
    except httpx2.ConnectError as error:
        raise AttemptFailed(f"cannot connect ({error})") from None
    except httpx2.TransportError as error:
        raise AttemptFailed(f"the connection broke ({error or type(error).__name__})") from None
    except httpx2.DecodingError as error:
        raise AttemptFailed(f"the answer cannot be decoded ({error})") from None
