"""The base of the HTTP adapters: requests in one wire format, with retries, streaming and hidden secrets."""

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

_MIN_SECRET_LENGTH = 6
"""Shorter values (a header like `x-mode: a`) are not secrets; replacing them would damage ordinary words."""


class Redactor:
    """Hides secrets in texts for errors, logs and reprs."""

    def __init__(self, values: Iterable[str]) -> None:
        secrets = {value for value in values if len(value) >= _MIN_SECRET_LENGTH}
        forms = {form for value in secrets for form in (value, json.dumps(value)[1:-1], quote(value, safe=""))}
        # Longest first: a secret may contain another one.
        self._forms = sorted(forms, key=len, reverse=True)

    def redact(self, text: str) -> str:
        """Returns `text` with every secret replaced by "[hidden]"."""
        for form in self._forms:
            text = text.replace(form, "[hidden]")
        return text

    def __repr__(self) -> str:
        return "Redactor(...)"


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


_REASON_CHARACTERS = 500


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
        key = api_key.strip() if api_key else None
        extra = dict(headers or {})
        _check_headers(key, extra)
        self._wire = wire
        self._enforces_schema = enforces_schema
        self._transport = HTTPTransport(base_url, {**wire.headers(key), **extra}, limits, clock)
        self._redactor = Redactor([*([key] if key else []), *extra.values()])
        self._retrier = LLMRetrier(retry, clock, chance)
        self._peer = f"The model server at {self._transport.root}"

    def supports_streaming(self) -> bool:
        return True

    def supports_schema(self) -> bool:
        return self._enforces_schema

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """Returns the server's response, streamed if `on_text` is given.

        Raises LLMRequestError at once if a retry would not help, LLMError if every attempt failed.
        """
        if on_text is None:
            return self._retrier.run(lambda: self._redacted(lambda: self._ask(request)), peer=self._peer)
        sink = DeduplicatingSink(on_text)
        return self._retrier.run(lambda: self._redacted(lambda: self._stream(request, sink)), peer=self._peer)

    def close(self) -> None:
        """Closes the open connections. The adapter can be used again."""
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

    def _redacted(self, attempt: Callable[[], LLMResponse]) -> LLMResponse:
        try:
            return attempt()
        except AttemptFailed as error:
            failure: AttemptFailed | LLMError = AttemptFailed(
                self._safe_text(error.reason), retry_after=error.retry_after, is_refused=error.is_refused
            )
        except LLMError as error:
            failure = type(error)(self._safe_text(error.message), next_step=error.next, **error.details)
        # Raised here so that the original error, with the server's text, is not its context.
        raise failure

    def _safe_text(self, text: str) -> str:
        # Redacted before it is shortened: a key cut in half would not be recognised.
        safe = self._redactor.redact(text)
        return safe if len(safe) <= _REASON_CHARACTERS else f"{safe[:_REASON_CHARACTERS]}..."


def _identified(reply: LLMResponse, request_id: str | None) -> LLMResponse:
    return replace(reply, request_id=request_id) if request_id else reply


def _check_headers(api_key: str | None, headers: Mapping[str, str]) -> None:
    # Checked before the client sees the values: its own errors would quote them.
    named = {"api_key": api_key or "", **headers}
    invalid = [name for name, value in named.items() if not (value.isascii() and value.isprintable())]
    if invalid:
        raise ConfigError(
            f"The value of {', '.join(invalid)} contains characters that HTTP headers do not allow.",
            next_step="Copy it again, without line breaks and quotation marks.",
        )
