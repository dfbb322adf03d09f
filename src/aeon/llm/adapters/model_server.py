"""A model server as its adapters use it: one transport, retries, and no secret in any error."""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TypeVar
from urllib.parse import quote

import httpx2

from aeon.base.clock import Clock
from aeon.base.errors import ConfigError, LLMError
from aeon.base.json import JsonObject
from aeon.llm.adapters.transport import HTTPTransport, IncomingResponse, TransportLimits
from aeon.llm.retry import AttemptFailed, LLMRetrier, LLMRetryPolicy

ResultT = TypeVar("ResultT")

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


_REASON_CHARACTERS = 500


class ModelServer:
    """One API root with its key. Thread-safe.

    `key_headers` makes the headers that hold the API key. Raises ConfigError for an address or headers that cannot be
    used.
    """

    def __init__(
        self,
        base_url: str,
        key_headers: Callable[[str | None], dict[str, str]],
        *,
        api_key: str | None,
        headers: Mapping[str, str] | None,
        limits: TransportLimits,
        retry: LLMRetryPolicy | None,
        clock: Clock,
        chance: Callable[[], float],
    ) -> None:
        key = api_key.strip() if api_key else None
        extra = dict(headers or {})
        _check_headers(key, extra)
        self._transport = HTTPTransport(base_url, {**key_headers(key), **extra}, limits, clock)
        self._redactor = Redactor([*([key] if key else []), *extra.values()])
        self._retrier = LLMRetrier(retry, clock, chance)

    @property
    def root(self) -> httpx2.URL:
        """The API's root."""
        return self._transport.root

    def post(self, path: str, body: JsonObject, *, accept: str) -> AbstractContextManager[IncomingResponse]:
        """Sends `body` once, as `HTTPTransport.post` does."""
        return self._transport.post(path, body, accept=accept)

    def run(self, attempt: Callable[[], ResultT]) -> ResultT:
        """Returns the first successful result of `attempt`, with the retries of core 8.

        Raises LLMRequestError at once if a retry would not help, LLMError if every attempt failed; secrets are
        replaced in the messages.
        """
        return self._retrier.run(lambda: self._redacted(attempt), peer=f"The model server at {self.root}")

    def close(self) -> None:
        """Closes the open connections. The server can be used again."""
        self._transport.close()

    def _redacted(self, attempt: Callable[[], ResultT]) -> ResultT:
        try:
            return attempt()
        except AttemptFailed as error:
            failure: AttemptFailed | LLMError = AttemptFailed(
                self._safe_text(error.reason),
                retry_after=error.retry_after,
                is_refused=error.is_refused,
                next_step=error.next_step,
            )
        except LLMError as error:
            failure = type(error)(self._safe_text(error.message), next_step=error.next, **error.details)
        # Raised here so that the original error, with the server's text, is not its context.
        raise failure

    def _safe_text(self, text: str) -> str:
        # Redacted before it is shortened: a key cut in half would not be recognised.
        safe = self._redactor.redact(text)
        return safe if len(safe) <= _REASON_CHARACTERS else f"{safe[:_REASON_CHARACTERS]}..."


def _check_headers(api_key: str | None, headers: Mapping[str, str]) -> None:
    # Checked before the client sees the values: its own errors would quote them.
    named = {"api_key": api_key or "", **headers}
    invalid = [name for name, value in named.items() if not (value.isascii() and value.isprintable())]
    if invalid:
        raise ConfigError(
            f"The value of {', '.join(invalid)} contains characters that HTTP headers do not allow.",
            next_step="Copy it again, without line breaks and quotation marks.",
        )
