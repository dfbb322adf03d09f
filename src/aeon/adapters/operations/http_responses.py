"""Converts HTTP responses to a tool's output or an error. Pure, except for the clock that dates need."""

import codecs
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import Message

from aeon.adapters.operations.http_client import HttpResponse
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.base.retry_after import parse_retry_after
from aeon.platform.catalog.operations import OperationError

_FIRST_ERROR, _FIRST_SERVER_ERROR = 400, 500
_UNDECIDED = (408, 409, 425, 429)
"""Answers of a service that does not say whether it did, or will do, what it was asked for."""
_UNAUTHORIZED, _TOO_MANY, _UNAVAILABLE = 401, 429, 503
_MAX_SHOWN = 300
"""The most characters of an error response that are repeated."""

_BYTE_ORDER_MARK = "\ufeff"
"""Parsers of JSON may ignore it (RFC 8259, section 8.1)."""

_CHARSETS = ("utf-8", "utf-16", "utf-32", "ascii", "iso8859", "cp125", "shift_jis", "euc_", "gb", "big5", "koi8")
"""Prefixes of names of text codecs; Python's other codecs are not for text, or slow."""


def output_of(answer: HttpResponse, kept_headers: Sequence[str] = ()) -> JsonObject:
    """Return `{"status", "contentType", "body"}`: the body as JSON, as text, or in base64 if it is not text.

    A base64 body comes with `"bodyEncoding": "base64"` and its `size` in bytes. `headers` contains those of
    `kept_headers` that the response has, under lower-case names; it is left out if `kept_headers` is empty. Raises
    OperationError for a status of 400 or above, and for invalid JSON.
    """
    if answer.status >= _FIRST_ERROR:
        raise _failure(answer)
    output: JsonObject = {"status": answer.status, "contentType": _content_type(answer), **_body(answer)}
    if kept_headers:
        names = [name.lower() for name in kept_headers]
        output["headers"] = {name: answer.headers[name] for name in names if name in answer.headers}
    return output


def _body(answer: HttpResponse) -> JsonObject:
    text = _text(answer)
    if text is None:
        encoded = b64encode(answer.content).decode()
        return {"body": encoded, "bodyEncoding": "base64", "size": len(answer.content)}
    body: Json = text
    if "json" in _content_type(answer) and text.strip():
        try:
            body = parse_strict(text.removeprefix(_BYTE_ORDER_MARK))
        except ValueError as error:
            raise OperationError(f"it answered with invalid JSON: {error}") from None
    return {"body": body}


def _text(answer: HttpResponse) -> str | None:
    """Decode the content in its declared character set (default UTF-8); None if it cannot be decoded."""
    try:
        return answer.content.decode(_charset(answer))
    except ValueError:
        return None


def _charset(answer: HttpResponse) -> str:
    head = Message()
    head["content-type"] = _content_type(answer)
    try:
        name = codecs.lookup(head.get_content_charset("utf-8")).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if name.startswith(_CHARSETS) else "utf-8"


def _content_type(answer: HttpResponse) -> str:
    return answer.headers.get("content-type", "")


def _failure(answer: HttpResponse) -> OperationError:
    status, headers, _ = answer
    detail = _error_text(answer)
    return OperationError(
        f"it answered {status}{': ' + detail if detail else ''}",
        is_transient=status >= _FIRST_SERVER_ERROR or status == _TOO_MANY,
        is_unauthorized=status == _UNAUTHORIZED,
        is_refused=_FIRST_ERROR <= status < _FIRST_SERVER_ERROR and status not in _UNDECIDED,
        retry_after=_retry_after(headers.get("retry-after")) if status in (_TOO_MANY, _UNAVAILABLE) else None,
    )


def _error_text(answer: HttpResponse) -> str:
    text = _text(answer)
    if text is None:
        return f"{len(answer.content):,} bytes of {_content_type(answer) or 'no type'}"
    return " ".join(text.split())[:_MAX_SHOWN]


def _retry_after(header: str | None) -> float | None:
    return parse_retry_after(header, datetime.now(UTC))
