"""Gives scripts access to the configured model: HTTP on a unix socket.

The format is OpenAI's chat; no key can leak. A skill with the capability "model" gets AEON_MODEL_SOCKET and
AEON_MODEL_TOKEN; no other script can use the socket.
"""

import hmac
import os
import secrets
import shutil
import socketserver
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, cast

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, call_model

MAX_MODEL_CALLS = 20
"""Maximum number of model calls by the scripts of one run."""

_MAX_BODY_BYTES = 256 * 1024
_MAX_TOKENS = 2048
_PATH = "/v1/chat/completions"
_SOCKET = "model.sock"
_FOLDER_PREFIX = "aeon-model-"
_MAX_SOCKET_PATH = 107
"""Bytes that Linux allows for the path of a socket (unix(7))."""
_POLL = 0.02
"""Seconds until the server notices a request to stop."""


def _make_folder() -> Path:
    """A private folder for the socket: in /tmp if the usual temporary folder's path is too long for a socket."""
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
    if len(os.fsencode(folder / _SOCKET)) <= _MAX_SOCKET_PATH:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX, dir="/tmp"))  # mkdtemp makes it private


class ModelGateway:
    """Serves the scripts of one run while open; closing removes the socket and its folder.

    `model` returns the adapter to call.
    """

    def __init__(self, model: Callable[[], LLMAdapter], most_calls: int = MAX_MODEL_CALLS) -> None:
        self._model = model
        self._calls_left = most_calls
        self._lock = threading.Lock()
        self._token = secrets.token_urlsafe(24)
        self._server: _Server | None = None
        self.folder: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that a script needs to call the model.

        The result is empty if the gateway is not open.
        """
        if self.folder is None:
            return {}
        return {"AEON_MODEL_SOCKET": str(self.folder / _SOCKET), "AEON_MODEL_TOKEN": self._token}

    def __enter__(self) -> Self:
        self.folder = _make_folder()
        self._server = _Server(self.environment["AEON_MODEL_SOCKET"], self)
        threading.Thread(
            target=self._server.serve_forever, args=(_POLL,), name="aeon-model-gateway", daemon=True
        ).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._server = self.folder = None

    def is_authorized(self, authorization: str) -> bool:
        """Whether the header carries this run's token."""
        return hmac.compare_digest(authorization.encode(), f"Bearer {self._token}".encode())

    def respond(self, body: bytes) -> tuple[HTTPStatus, JsonObject]:
        """Returns the status and body of the response to one request."""
        try:
            request = _request(body)
        except (ValueError, TypeError) as error:
            return HTTPStatus.BAD_REQUEST, _error(str(error))
        if not self._take_call():
            return HTTPStatus.TOO_MANY_REQUESTS, _error("this run has used all its model calls")
        try:
            return HTTPStatus.OK, _completion(call_model(self._model(), request))
        except AeonError as error:
            return HTTPStatus.SERVICE_UNAVAILABLE, _error(f"{error.message} {error.advice}".strip())

    def _take_call(self) -> bool:
        with self._lock:
            self._calls_left -= 1
            return self._calls_left >= 0


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    gateway: ModelGateway

    def __init__(self, path: str, gateway: ModelGateway) -> None:
        self.gateway = gateway
        super().__init__(path, _GatewayHandler)


class _GatewayHandler(BaseHTTPRequestHandler):
    """One connection of a script."""

    timeout: ClassVar[float | None] = 30.0
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the base class's name
        gateway = cast(_Server, self.server).gateway
        length = self.headers.get("Content-Length", "")
        is_bounded = length.isdecimal() and int(length) <= _MAX_BODY_BYTES
        # Read in any case: a script that still writes when the connection ends would not see why it was refused.
        body = self.rfile.read(int(length)) if is_bounded else b""
        if not gateway.is_authorized(self.headers.get("Authorization", "")):
            self._send(HTTPStatus.UNAUTHORIZED, _error("the token is not valid for this run"))
        elif self.path != _PATH:
            self._send(HTTPStatus.NOT_FOUND, _error(f"only {_PATH} is served"))
        elif not is_bounded:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _error(f"give a body of at most {_MAX_BODY_BYTES} bytes"))
        else:
            self._send(*gateway.respond(body))

    def address_string(self) -> str:
        return "script"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Logs nothing: requests may contain the user's text."""

    def _send(self, status: HTTPStatus, body: JsonObject) -> None:
        encoded = canonical_json(body).encode()
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(encoded)))
        self.send_header("Connection", "close")
        with suppress(ConnectionError):  # a script that was stopped no longer waits for its answer
            self.end_headers()
            self.wfile.write(encoded)


def _request(body: bytes) -> LLMRequest:
    """Parses a request body. Raises ValueError if it is not a chat request."""
    raw: Json = parse_strict(body.decode("utf-8"))
    messages: Json = cast(JsonObject, raw).get("messages") if isinstance(raw, dict) else None
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list of {role, content}")
    parsed = [_message(message) for message in cast(list[Json], messages)]
    system = "\n".join(content for role, content in parsed if role == "system")
    prompt = "\n".join(content for role, content in parsed if role != "system")
    options = cast(JsonObject, raw)
    return LLMRequest(
        prompt,
        system or None,
        max_tokens=_bounded(options.get("max_tokens", 512), 1, _MAX_TOKENS, "max_tokens"),
        temperature=_bounded(options.get("temperature", 0.7), 0, 2, "temperature"),
    )


def _message(message: Json) -> tuple[str, str]:
    fields: JsonObject = cast(JsonObject, message) if isinstance(message, dict) else {}
    role, content = cast(Json, fields.get("role")), cast(Json, fields.get("content"))
    if role not in ("system", "user", "assistant") or not isinstance(content, str):
        raise ValueError("each message needs a role (system, user or assistant) and a content that is text")
    return str(role), content


def _bounded(value: Json, least: int, most: int, name: str) -> Json:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number")
    return min(max(value, least), most)


def _completion(reply: LLMResponse) -> JsonObject:
    choice = {
        "index": 0,
        "finish_reason": reply.finish_reason or "stop",
        "message": {"role": "assistant", "content": reply.text},
    }
    return {"object": "chat.completion", "model": reply.model or "configured", "choices": [choice]}


def _error(message: str) -> JsonObject:
    return {"error": {"message": message}}
