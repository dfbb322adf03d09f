"""A model server on loopback for tests: real sockets, the vendors' wire formats, and scripted failures.

    with WireDouble([ErrorResponse(429, headers={"retry-after": "2"}), TextResponse("hello")]) as double:
        adapter = RemoteAPIAdapter(double.base_url, "some-model")
        assert adapter.complete(LLMRequest("hi")).text == "hello"
        assert len(double.requests) == 2

Rules are applied in order, one for each POST. A request without a rule gets status 501, so that no test passes by
accident. The profiles "openai", "vllm" and "anthropic" refuse requests that those servers would refuse; "embeddings" is
OpenAI's other API, answered by rules with raw bodies.
"""

import json
import socket
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Literal, Self

from aeon.base.json import JsonObject, parse_strict
from aeon.testing.wire_dialects import PROFILES
from aeon.testing.wire_rules import ErrorResponse, TextResponse, WireExchange, WireRule

_POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One received POST; header names are lower case."""

    path: str
    headers: Mapping[str, str]
    body: JsonObject


class WireDouble:
    """The server. A string among the rules means `TextResponse`. With `api_key`, any other key gets status 401."""

    def __init__(
        self,
        rules: Iterable[WireRule | str] = (),
        *,
        profile: Literal["openai", "vllm", "anthropic", "embeddings"] = "openai",
        api_key: str | None = None,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.profile = PROFILES[profile]
        self._rules = [TextResponse(rule) if isinstance(rule, str) else rule for rule in rules]
        self._api_key = api_key
        self._played = 0
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """The API's root."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def remaining(self) -> int:
        """The number of unused rules."""
        return len(self._rules) - self._played

    def release(self) -> None:
        """Lets stalled responses end."""
        self._released.set()

    def close(self) -> None:
        """Stops the server and closes every connection."""
        self.release()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.hang_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def rule_for(self, request: RecordedRequest) -> WireRule:
        """Records `request` and returns the rule for it."""
        with self._lock:
            self.requests.append(request)
            if request.path != self.profile.path:
                return ErrorResponse(404, f"There is no {request.path} here.")
            if not self._is_admitted(request.headers):
                return ErrorResponse(401, f"Incorrect API key provided: {request.headers.get(self.profile.key_header)}")
            fault = self.profile.fault(request.body, request.headers)
            return ErrorResponse(400, fault) if fault else self._next()

    def wait_for_release(self) -> None:
        """Blocks until `release` or `close`."""
        self._released.wait()

    def _is_admitted(self, headers: Mapping[str, str]) -> bool:
        key = headers.get(self.profile.key_header, "").removeprefix("Bearer ")
        return self._api_key is None or key == self._api_key

    def _next(self) -> WireRule:
        if self._played >= len(self._rules):
            return ErrorResponse(400, f"The script of {len(self._rules)} rules is used up.")
        self._played += 1
        return self._rules[self._played - 1]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # With the default of 5, many simultaneous connections wait a second for a TCP retransmission.
    request_queue_size = 128

    def __init__(self, double: WireDouble) -> None:
        self.double = double
        self._connections: list[socket.socket] = []
        super().__init__(("127.0.0.1", 0), _ConnectionHandler)

    def process_request(self, request: object, client_address: object) -> None:
        if isinstance(request, socket.socket):
            self._connections.append(request)
        super().process_request(request, client_address)  # pyright: ignore[reportArgumentType]  # socketserver's own argument

    def hang_up(self) -> None:
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the connection has ended already

    def handle_error(self, request: object, client_address: object) -> None:
        """Prints nothing: many tests disconnect the client."""


class _ConnectionHandler(BaseHTTPRequestHandler):
    """One connection. Implements `WireExchange` for the rules."""

    protocol_version = "HTTP/1.1"
    # A response takes several writes; Nagle's algorithm would delay each by 40 ms.
    disable_nagle_algorithm = True
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  # the only server that uses this class

    def do_GET(self) -> None:
        body = {
            "/health": {"status": "ok"},
            "/v1/models": {"object": "list", "data": [{"id": "double", "object": "model", "owned_by": "aeon"}]},
        }.get(self.path)
        self.send(200 if body else 404, json.dumps(body or {}).encode(), "application/json", {})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        body: JsonObject = parse_strict(raw.decode())
        self.dialect = self.server.double.profile.dialect
        self.model = str(body.get("model"))
        self.is_stream = bool(body.get("stream"))
        headers = {name.lower(): value for name, value in self.headers.items()}
        exchange: WireExchange = self
        self.server.double.rule_for(RecordedRequest(self.path, headers, body)).play(exchange)

    def send(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-type": content_type, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def begin(self, content_type: str, length: int | None) -> None:
        self._is_chunked = length is None
        self.send_response(200)
        self.send_header("content-type", content_type)
        if length is None:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(length))
        self.end_headers()

    def write(self, part: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if self._is_chunked else part)

    def end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def drop(self) -> None:
        self.close_connection = True
        self.connection.close()

    def wait_for_release(self) -> None:
        self.server.double.wait_for_release()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        """Prints nothing."""
