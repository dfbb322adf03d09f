"""The wire double's rules for a request: respond, refuse, or fail in one of the ways networks fail."""

import json
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aeon.base.json import JsonObject
from aeon.testing.wire_dialects import Dialect, WireAnswer, event

_PIECES_AT_ONCE = 100


class WireExchange(Protocol):
    """The interface through which a rule answers one request."""

    dialect: Dialect
    model: str
    is_stream: bool
    connection: socket.socket

    def send(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        """Sends a whole response."""
        ...

    def begin(self, content_type: str, length: int | None) -> None:
        """Sends the header of a response; without `length` its body is chunked."""
        ...

    def write(self, part: bytes) -> None:
        """Sends a part of the body."""
        ...

    def end(self) -> None:
        """Ends a chunked body."""
        ...

    def drop(self) -> None:
        """Closes the connection at once."""
        ...

    def wait_for_release(self) -> None:
        """Blocks until the double is released or closed."""
        ...


class WireRule(Protocol):
    """The reaction to one request."""

    def play(self, exchange: WireExchange) -> None:
        """Answers the request."""
        ...


@dataclass(frozen=True, slots=True)
class TextResponse:
    """Responds with a text; `odds` are its tokens, in order, with their probabilities."""

    text: str
    finish_reason: str = "stop"
    counts_usage: bool = True
    odds: Sequence[tuple[str, float]] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def play(self, exchange: WireExchange) -> None:
        answer = WireAnswer(self.text, self.finish_reason, self.counts_usage, self.odds)
        if not exchange.is_stream:
            whole = _encoded(exchange.dialect.response_body(answer, exchange.model))
            exchange.send(200, whole, "application/json", self.headers)
            return
        exchange.begin("text/event-stream; charset=utf-8", None)
        for part in _events(exchange, answer):
            exchange.write(part)
        exchange.end()


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """Responds with an error status and a message in the API's format."""

    status: int
    message: str = "refused by the script"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def play(self, exchange: WireExchange) -> None:
        body = _encoded(exchange.dialect.error(self.status, self.message))
        exchange.send(self.status, body, "application/json", self.headers)


@dataclass(frozen=True, slots=True)
class RawResponse:
    """Responds with exactly these bytes."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def play(self, exchange: WireExchange) -> None:
        exchange.send(self.status, self.body, self.content_type, self.headers)


@dataclass(frozen=True, slots=True)
class ConnectionReset:
    """Resets the connection (TCP RST) without a response."""

    def play(self, exchange: WireExchange) -> None:
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        exchange.drop()


@dataclass(frozen=True, slots=True)
class TruncatedBody:
    """Sends about half of a response and closes the connection."""

    text: str

    def play(self, exchange: WireExchange) -> None:
        _half(exchange, WireAnswer(self.text))
        exchange.drop()


@dataclass(frozen=True, slots=True)
class StalledResponse:
    """Sends nothing, or with `text` about half of a response, then keeps the connection open."""

    text: str = ""

    def play(self, exchange: WireExchange) -> None:
        if self.text:
            _half(exchange, WireAnswer(self.text))
        exchange.wait_for_release()
        exchange.drop()


@dataclass(frozen=True, slots=True)
class TruncatedStream:
    """Streams the text and ends the body properly, without the events that end a response."""

    text: str

    def play(self, exchange: WireExchange) -> None:
        exchange.begin("text/event-stream", None)
        for part in exchange.dialect.stream_start(WireAnswer(self.text), exchange.model):
            exchange.write(part)
        exchange.end()


@dataclass(frozen=True, slots=True)
class EndlessStream:
    """Streams the text's last piece again and again until the client closes the connection."""

    text: str

    def play(self, exchange: WireExchange) -> None:
        exchange.begin("text/event-stream", None)
        parts = exchange.dialect.stream_start(WireAnswer(self.text), exchange.model)
        exchange.write(b"".join(parts))
        while True:
            exchange.write(parts[-1] * _PIECES_AT_ONCE)


@dataclass(frozen=True, slots=True)
class InlineError:
    """Responds with status 200 and an error in the body; in a stream, after `text`."""

    status: int
    message: str
    text: str = ""

    def play(self, exchange: WireExchange) -> None:
        error = exchange.dialect.error(self.status, self.message)
        if not exchange.is_stream:
            exchange.send(200, _encoded(error), "application/json", {})
            return
        exchange.begin("text/event-stream", None)
        for part in exchange.dialect.stream_start(WireAnswer(self.text), exchange.model):
            exchange.write(part)
        exchange.write(event(error))
        exchange.end()


def _events(exchange: WireExchange, answer: WireAnswer) -> list[bytes]:
    dialect = exchange.dialect
    return [*dialect.stream_start(answer, exchange.model), *dialect.stream_end(answer, exchange.model)]


def _half(exchange: WireExchange, answer: WireAnswer) -> None:
    if exchange.is_stream:
        parts = exchange.dialect.stream_start(answer, exchange.model)
        exchange.begin("text/event-stream", None)
        # The role and the first pieces of text; a text of two or more pieces is cut.
        for part in parts[:-1]:
            exchange.write(part)
        return
    body = _encoded(exchange.dialect.response_body(answer, exchange.model))
    exchange.begin("application/json", len(body))
    exchange.write(body[: len(body) // 2])


def _encoded(body: JsonObject) -> bytes:
    return json.dumps(body).encode()
