"""What an HTTP service's answer means: a tool's output, or why the call failed. Pure but for the clock of dates."""

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
_UNAUTHORIZED, _TOO_MANY, _UNAVAILABLE = 401, 429, 503
_MAX_SHOWN = 300
"""Characters of an error's answer that are repeated."""

_CHARSETS = ("utf-8", "utf-16", "utf-32", "ascii", "iso8859", "cp125", "shift_jis", "euc_", "gb", "big5", "koi8")
"""What the names of codecs for written text begin with; Python has others, which are none or slow."""


def output_of(answer: HttpResponse, kept_headers: Sequence[str] = ()) -> JsonObject:
    """`{"status", "contentType", "body"}`, the body as JSON, as text, or in base64 where its bytes are no text.

    In base64 it comes with `"bodyEncoding": "base64"` and its `size` in bytes. `headers` has those of `kept_headers`
    that the answer has, under lower-case names; without any to keep it is left out. Raises OperationError for a status
    of 400 and above, and for JSON that is none.
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
            body = parse_strict(text)
        except ValueError as error:
            raise OperationError(f"it answered with what is no JSON: {error}") from None
    return {"body": body}


def _text(answer: HttpResponse) -> str | None:
    """The content in the character set that the answer names, UTF-8 if none; None where its bytes are not that."""
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
    said = _error_text(answer)
    return OperationError(
        f"it answered {status}{': ' + said if said else ''}",
        is_transient=status >= _FIRST_SERVER_ERROR or status == _TOO_MANY,
        is_unauthorized=status == _UNAUTHORIZED,
        retry_after=_retry_after(headers.get("retry-after")) if status in (_TOO_MANY, _UNAVAILABLE) else None,
    )


def _error_text(answer: HttpResponse) -> str:
    text = _text(answer)
    if text is None:
        return f"{len(answer.content):,} bytes of {_content_type(answer) or 'no type'}"
    return " ".join(text.split())[:_MAX_SHOWN]


def _retry_after(said: str | None) -> float | None:
    return parse_retry_after(said, datetime.now(UTC))
