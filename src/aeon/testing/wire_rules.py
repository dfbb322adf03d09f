"""What the wire double can do with a request: answer it, refuse it, or break in one of the ways networks break."""

import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from aeon.base.json import JsonObject
from aeon.testing.wire_dialects import Dialect, WireAnswer, event


class WireExchange(Protocol):
    """One request being answered, as a rule sees it."""

    dialect: Dialect
    model: str
    is_stream: bool
    connection: socket.socket

    def send(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        """A whole answer."""
        ...

    def begin(self, content_type: str, length: int | None) -> None:
        """The head of an answer; without `length` its body comes in chunks."""
        ...

    def write(self, part: bytes) -> None:
        """A part of the body begun."""
        ...

    def end(self) -> None:
        """The end of a body in chunks."""
        ...

    def drop(self) -> None:
        """Close the connection now."""
        ...

    def wait_for_release(self) -> None:
        """Stand still until the double is told to go on, or closes."""
        ...


class WireRule(Protocol):
    """What to do with one request."""

    def play(self, exchange: WireExchange) -> None:
        """Do it."""
        ...


@dataclass(frozen=True, slots=True)
class TextResponse:
    """Answer well."""

    text: str
    finish_reason: str = "stop"
    counts_usage: bool = True
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def play(self, exchange: WireExchange) -> None:
        spoken = WireAnswer(self.text, self.finish_reason, self.counts_usage)
        if not exchange.is_stream:
            whole = _encoded(exchange.dialect.response_body(spoken, exchange.model))
            exchange.send(200, whole, "application/json", self.headers)
            return
        exchange.begin("text/event-stream; charset=utf-8", None)
        for part in _events(exchange, spoken):
            exchange.write(part)
        exchange.end()


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """Answer with an error status, its message in the API's own shape."""

    status: int
    message: str = "refused by the script"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def play(self, exchange: WireExchange) -> None:
        body = _encoded(exchange.dialect.error(self.status, self.message))
        exchange.send(self.status, body, "application/json", self.headers)


@dataclass(frozen=True, slots=True)
class RawResponse:
    """Answer with exactly these bytes."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def play(self, exchange: WireExchange) -> None:
        exchange.send(self.status, self.body, self.content_type, self.headers)


@dataclass(frozen=True, slots=True)
class ConnectionReset:
    """Reset the connection (TCP RST) before any answer."""

    def play(self, exchange: WireExchange) -> None:
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        exchange.drop()


@dataclass(frozen=True, slots=True)
class TruncatedBody:
    """Promise an answer, send about half of it, and hang up."""

    text: str

    def play(self, exchange: WireExchange) -> None:
        _half(exchange, WireAnswer(self.text))
        exchange.drop()


@dataclass(frozen=True, slots=True)
class StalledResponse:
    """Send nothing, or with `text` about half of an answer, then stand still with the connection open."""

    text: str = ""

    def play(self, exchange: WireExchange) -> None:
        if self.text:
            _half(exchange, WireAnswer(self.text))
        exchange.wait_for_release()
        exchange.drop()


@dataclass(frozen=True, slots=True)
class TruncatedStream:
    """Stream the text and end the body in good order, without the events that end an answer."""

    text: str

    def play(self, exchange: WireExchange) -> None:
        exchange.begin("text/event-stream", None)
        for part in exchange.dialect.stream_start(WireAnswer(self.text), exchange.model):
            exchange.write(part)
        exchange.end()


@dataclass(frozen=True, slots=True)
class InlineError:
    """Answer 200 and report an error inside; in a stream, after `text`."""

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


def _events(exchange: WireExchange, spoken: WireAnswer) -> list[bytes]:
    dialect = exchange.dialect
    return [*dialect.stream_start(spoken, exchange.model), *dialect.stream_end(spoken, exchange.model)]


def _half(exchange: WireExchange, spoken: WireAnswer) -> None:
    if exchange.is_stream:
        parts = exchange.dialect.stream_start(spoken, exchange.model)
        exchange.begin("text/event-stream", None)
        # The role and the first pieces of text; a text of two pieces or more is cut inside.
        for part in parts[:-1]:
            exchange.write(part)
        return
    body = _encoded(exchange.dialect.response_body(spoken, exchange.model))
    exchange.begin("application/json", len(body))
    exchange.write(body[: len(body) // 2])


def _encoded(body: JsonObject) -> bytes:
    return json.dumps(body).encode()
