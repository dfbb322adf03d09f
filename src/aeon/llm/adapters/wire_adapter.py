"""What the HTTP adapters share: one question in one wire format, retried, streamed, its secrets hidden."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Self  # the published signature
from urllib.parse import quote

from aeon.base.clock import Clock
from aeon.base.errors import ConfigError, LLMError
from aeon.llm.adapters.transport import EVENT_STREAM_CONTENT_TYPE, JSON_CONTENT_TYPE, HTTPTransport, TransportLimits
from aeon.llm.adapters.wire import WireFormat, parse_events, parse_object
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.llm.retry import AttemptFailed, LLMRetrier, LLMRetryPolicy

_SHORTEST = 6
"""Shorter values (a header like `x-mode: a`) are no secrets and would tear holes into ordinary words."""


class Redactor:
    """Texts that no error, log or repr may show."""

    def __init__(self, values: Iterable[str]) -> None:
        kept = {value for value in values if len(value) >= _SHORTEST}
        forms = {form for value in kept for form in (value, json.dumps(value)[1:-1], quote(value, safe=""))}
        # Longest first: one secret may be part of another.
        self._forms = sorted(forms, key=len, reverse=True)

    def redact(self, text: str) -> str:
        """`text` with every secret replaced by "[hidden]"."""
        for form in self._forms:
            text = text.replace(form, "[hidden]")
        return text

    def __repr__(self) -> str:
        return "Secrets(...)"


class DeduplicatingSink:
    """A text sink that never shows anything twice.

    A retry begins the answer again, and a sink cannot take text back. So while the new attempt repeats what was shown,
    nothing is sent; once it goes beyond, the rest is sent; if it says something else, nothing more is sent. The reply's
    text is what counts, and what was shown is a part of it unless a retry answered differently.
    """

    def __init__(self, sink: TextSink) -> None:
        self._sink = sink
        self._shown: list[str] = []
        self.begin_attempt()

    def begin_attempt(self) -> None:
        """A new attempt begins."""
        self._before = "".join(self._shown)
        self._at = 0
        self._agrees = True

    def __call__(self, piece: str) -> None:
        again = self._before[self._at : self._at + len(piece)]
        self._at += len(piece)
        self._agrees = self._agrees and piece.startswith(again)
        news = piece[len(again) :]
        if self._agrees and news:
            self._shown.append(news)
            self._sink(news)


_REASON_CHARACTERS = 500


class WireAdapter(RequestAdapter):
    """Asks a server in one wire format, with the retries of core 8. Threads may share it; `close` ends its connections.

    A retry starts the answer over. A sink that already got text gets none of it twice: see `DeduplicatingSink`.
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
