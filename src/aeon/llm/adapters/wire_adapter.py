"""What the HTTP adapters share: one question in one wire format, retried, streamed, its secrets hidden."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Self  # the published signature

from aeon.base.clock import Clock
from aeon.base.errors import ConfigError, LLMError
from aeon.llm.adapters.redaction import Redactor
from aeon.llm.adapters.sse import parse_events
from aeon.llm.adapters.steady_sink import DeduplicatingSink
from aeon.llm.adapters.transport import EVENT_STREAM_CONTENT_TYPE, JSON_CONTENT_TYPE, HTTPTransport, TransportLimits
from aeon.llm.adapters.wire import WireFormat, parse_object
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.llm.retry import AttemptFailed, LLMRetrier, LLMRetryPolicy

_REASON_CHARACTERS = 500


class WireAdapter(RequestAdapter):
    """Asks a server in one wire format, with the retries of core 8. Threads may share it; `close` ends its connections.

    A retry starts the answer over. A sink that already got text gets none of it twice: see `SteadySink`.
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
        key = api_key.strip() if api_key else None
        extra = dict(headers or {})
        _check_headers(key, extra)
        self._wire = wire
        self._enforces_schema = enforces_schema
        self._transport = HTTPTransport(base_url, {**wire.headers(key), **extra}, limits, clock)
        self._secrets = Redactor([*([key] if key else []), *extra.values()])
        self._attempts = LLMRetrier(retry, clock, chance)
        self._peer = f"The model server at {self._transport.root}"

    def supports_streaming(self) -> bool:
        return True

    def supports_schema(self) -> bool:
        return self._enforces_schema

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """The server's answer, streamed when `on_text` is given.

        Raises LLMRequestError at once when asking again would not help, LLMError when every attempt failed.
        """
        if on_text is None:
            return self._attempts.run(lambda: self._hidden(lambda: self._ask(request)), peer=self._peer)
        sink = DeduplicatingSink(on_text)
        return self._attempts.run(lambda: self._hidden(lambda: self._stream(request, sink)), peer=self._peer)

    def close(self) -> None:
        """Close kept connections. The adapter can be used again."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._transport.root)!r})"

    def _ask(self, request: LLMRequest) -> LLMResponse:
        body = self._wire.encode(request, stream=False)
        with self._transport.post(self._wire.path, body, accept=JSON_CONTENT_TYPE) as incoming:
            reply = self._wire.decode(parse_object(incoming.read()))
            return _identified(reply, incoming.request_id)

    def _stream(self, request: LLMRequest, sink: DeduplicatingSink) -> LLMResponse:
        sink.begin_attempt()
        body = self._wire.encode(request, stream=True)
        reader = self._wire.reader()
        with self._transport.post(self._wire.path, body, accept=EVENT_STREAM_CONTENT_TYPE) as incoming:
            for event in parse_events(incoming.chunks()):
                if piece := reader.feed(event):
                    sink(piece)
                if reader.is_complete:
                    break
            return _identified(reader.reply(), incoming.request_id)

    def _hidden(self, attempt: Callable[[], LLMResponse]) -> LLMResponse:
        try:
            return attempt()
        except AttemptFailed as error:
            fault: AttemptFailed | LLMError = AttemptFailed(self._told(error.reason), retry_after=error.retry_after)
        except LLMError as error:
            fault = type(error)(self._told(error.message), next_step=error.advice, **error.details)
        # Raised out here so that the error with the server's own words is not kept as its context.
        raise fault

    def _told(self, text: str) -> str:
        # Hidden first, shortened then: a key cut in half would not be recognised.
        told = self._secrets.redact(text)
        return told if len(told) <= _REASON_CHARACTERS else f"{told[:_REASON_CHARACTERS]}..."


def _identified(reply: LLMResponse, request_id: str | None) -> LLMResponse:
    return replace(reply, request_id=request_id) if request_id else reply


def _check_headers(api_key: str | None, headers: Mapping[str, str]) -> None:
    # Before the client sees them: its own errors would quote the value.
    named = {"api_key": api_key or "", **headers}
    odd = [name for name, value in named.items() if not (value.isascii() and value.isprintable())]
    if odd:
        raise ConfigError(
            f"The value of {', '.join(odd)} holds characters that no HTTP header may have.",
            next_step="Copy it again, without line ends and quotation marks.",
        )
