"""The base of the HTTP adapters: requests in one wire format, with retries and streaming."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Final, Self  # Self: the published signature

from aeon.base.clock import Clock
from aeon.llm.adapters.model_server import ModelServer
from aeon.llm.adapters.transport import EVENT_STREAM_CONTENT_TYPE, JSON_CONTENT_TYPE, TransportLimits
from aeon.llm.adapters.wire import StreamReader, WireFormat, parse_events, parse_object
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.llm.retry import LLMRetryPolicy

_LONGEST_TOKEN: Final = 16
_SHORTEST_LIMIT: Final = 64 * 1024
"""Characters. A text beyond `max_tokens` times the longest token comes from a server that ignores the token limit."""


class DeduplicatingSink:
    """A text sink that never shows text twice.

    A retry starts the response again, and a sink cannot take text back. While the new attempt repeats the shown text,
    nothing is sent; beyond that, the rest is sent; if it differs, nothing more is sent. The text of the LLMResponse is
    authoritative; the shown text is its beginning unless a retry answered differently. `shown` is what an earlier
    request for the same response has shown.
    """

    def __init__(self, sink: TextSink, shown: str = "") -> None:
        self._sink = sink
        self._shown = [shown] if shown else []
        self.begin_attempt()

    def begin_attempt(self) -> None:
        """Starts a new attempt."""
        self._shown_before = "".join(self._shown)
        self._position = 0
        self._is_same = True

    def __call__(self, piece: str) -> None:
        repeated = self._shown_before[self._position : self._position + len(piece)]
        self._position += len(piece)
        self._is_same = self._is_same and piece.startswith(repeated)
        new_text = piece[len(repeated) :]
        if self._is_same and new_text:
            self._shown.append(new_text)
            self._sink(new_text)


class WireAdapter(RequestAdapter):
    """Sends requests to a server in one wire format, with the retries of core 8. Thread-safe.

    A retry starts the response again. A sink receives no text twice: see `DeduplicatingSink`.
    """

    def __init__(
        self,
        base_url: str,
        wire: WireFormat,
        *,
        api_key: str | None,
        headers: Mapping[str, str] | None,
        limits: TransportLimits,
        enforces_schema: bool,
        retry: LLMRetryPolicy | None,
        clock: Clock,
        chance: Callable[[], float],
    ) -> None:
        self._wire = wire
        self._enforces_schema = enforces_schema
        self._server = ModelServer(
            base_url,
            wire.headers,
            api_key=api_key,
            headers=headers,
            limits=limits,
            retry=retry,
            clock=clock,
            chance=chance,
        )

    def supports_streaming(self) -> bool:
        return True

    def supports_schema(self) -> bool:
        return self._enforces_schema

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """Returns the server's response, streamed if `on_text` is given.

        A text far longer than `max_tokens` allows is cut off, and the connection closed.
        Raises LLMRequestError at once if a retry would not help, LLMError if every attempt failed.
        """
        if on_text is None:
            return self._server.run(lambda: self._ask(request))
        sink = DeduplicatingSink(on_text)
        return self._server.run(lambda: self._stream(request, sink))

    def close(self) -> None:
        """Closes the open connections. The adapter can be used again."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._server.root)!r})"

    def _ask(self, request: LLMRequest) -> LLMResponse:
        body = self._wire.encode(request, stream=False)
        with self._server.post(self._wire.path, body, accept=JSON_CONTENT_TYPE) as incoming:
            reply = self._wire.decode(parse_object(incoming.read()))
            return _identified(_cut(reply, _longest_text(request)), incoming.request_id)

    def _stream(self, request: LLMRequest, sink: DeduplicatingSink) -> LLMResponse:
        sink.begin_attempt()
        body = self._wire.encode(request, stream=True)
        reader = self._wire.reader()
        with self._server.post(self._wire.path, body, accept=EVENT_STREAM_CONTENT_TYPE) as incoming:
            reply = _read_stream(reader, incoming.chunks(), sink, _longest_text(request))
            return _identified(reply, incoming.request_id)


def _read_stream(reader: StreamReader, chunks: Iterable[bytes], sink: TextSink, limit: int) -> LLMResponse:
    """Reads a stream up to its end, or to `limit` characters of text."""
    room = limit
    for event in parse_events(chunks):
        piece = reader.feed(event)
        sink(piece[:room])
        room -= len(piece)
        if room < 0:
            return _cut(reader.cut_reply(), limit)
        if reader.is_complete:
            break
    return reader.reply()


def _longest_text(request: LLMRequest) -> int:
    """The most characters that are read of a response, whatever the server makes of `max_tokens`."""
    return max(_SHORTEST_LIMIT, request.max_tokens * _LONGEST_TOKEN)


def _cut(reply: LLMResponse, limit: int) -> LLMResponse:
    """The response with at most `limit` characters; a shortened one was cut off, as by the model's own limit."""
    return reply if len(reply.text) <= limit else replace(reply, text=reply.text[:limit], finish_reason="length")


def _identified(reply: LLMResponse, request_id: str | None) -> LLMResponse:
    return replace(reply, request_id=request_id) if request_id else reply
