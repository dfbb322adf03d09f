"""The wire format interface, and the parsing that all formats share: events, shapes, usage, errors. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, NamedTuple, Protocol, cast

from aeon.base.errors import LLMRequestError
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.llm.interface import LLMRequest, LLMResponse
from aeon.llm.retry import OTHER_API, AttemptFailed, is_retryable_status


class ServerEvent(NamedTuple):
    """One server-sent event: its name (default "message") and its data, lines joined."""

    name: str
    data: str


def parse_events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Parses events from `chunks`, split at any byte; drops an event without its closing blank line.

    Raises AttemptFailed for bytes that are not UTF-8.
    """
    name, data = "message", list[str]()
    for line in _lines(chunks):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield ServerEvent(name, "\n".join(data))
            name, data = "message", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    # Parts are joined once per line, so that a very long line takes linear time, not quadratic.
    partial: list[bytes] = []
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            yield _text(b"".join([*partial, end]).removesuffix(b"\r"))
            partial = []
        if rest:
            partial.append(rest)


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise AttemptFailed("the stream contains bytes that are not UTF-8") from None


_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
}
"""Error types that a retry cannot fix; any other type reported inside a response may be temporary."""


class StreamReader(Protocol):
    """Assembles one streamed response."""

    @property
    def is_complete(self) -> bool:
        """Whether the server reported the end of the stream."""
        ...

    def feed(self, event: ServerEvent) -> str:
        """Returns the text that this event adds. Raises AttemptFailed or LLMRequestError for a reported error."""
        ...

    def reply(self) -> LLMResponse:
        """Returns the whole response. Raises AttemptFailed if the stream ended early."""
        ...

    def cut_reply(self) -> LLMResponse:
        """Returns what has come, as a response that was cut off: its end is not awaited."""
        ...


class WireFormat(Protocol):
    """One API's format: pure functions between `LLMRequest`, `LLMResponse` and JSON."""

    path: ClassVar[str]
    """The path to post to, relative to the API's root."""

    def headers(self, api_key: str | None) -> dict[str, str]:
        """The headers that the API requires in every request."""
        ...

    def encode(self, request: LLMRequest, *, stream: bool) -> JsonObject:
        """Returns the request body."""
        ...

    def decode(self, answer: JsonObject) -> LLMResponse:
        """Decodes a whole response. Raises AttemptFailed for another shape or a temporary error that it reports."""
        ...

    def reader(self) -> StreamReader:
        """Returns a new reader for one streamed response."""
        ...


def parse_object(text: str | bytes) -> JsonObject:
    """Parses a JSON object. Raises AttemptFailed for anything else."""
    try:
        value = parse_strict(text if isinstance(text, str) else text.decode())
    except ValueError as error:
        raise AttemptFailed(f"the response is not JSON ({error})", next_step=OTHER_API) from None
    if not isinstance(value, dict):
        raise AttemptFailed(f"the response is a JSON {type(value).__name__}, not an object", next_step=OTHER_API)
    return cast(JsonObject, value)


def require_object(value: Json, where: str) -> JsonObject:
    """Returns `value` if it is an object. Raises AttemptFailed, which names the place `where` it is missing."""
    if not isinstance(value, dict):
        raise AttemptFailed(f"the response has no object at {where}", next_step=OTHER_API)
    return cast(JsonObject, value)


def require_first(value: Json, where: str) -> JsonObject:
    """Returns the first object of a list. Raises AttemptFailed, which names the place `where` it is missing."""
    items = cast("list[Json]", value) if isinstance(value, list) else []
    return require_object(items[0] if items else None, f"{where}[0]")


def require_text(value: Json, where: str) -> str:
    """Returns `value` if it is text, "" for null. Raises AttemptFailed, which names the place `where`, otherwise."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise AttemptFailed(f"the response has no text at {where}", next_step=OTHER_API)
    return value


def text_or_none(value: Json) -> str | None:
    """Returns `value` if it is text, else None."""
    return value if isinstance(value, str) else None


def read_usage(raw: Json, names: Mapping[str, str]) -> JsonObject:
    """Returns the known counts in `raw` under Aeon's names: {"input_tokens": int, "output_tokens": int}."""
    counts = cast(JsonObject, raw) if isinstance(raw, dict) else {}
    return {
        name: counts[api_name]
        for api_name, name in names.items()
        if isinstance(counts.get(api_name), int) and not isinstance(counts[api_name], bool)
    }


def raise_reported_error(answer: JsonObject) -> None:
    """Raises the `error` that a response reports despite HTTP status 200: in a stream, or in the process.

    Raises AttemptFailed if it may be temporary, else LLMRequestError.
    """
    error = answer.get("error")
    if not error:
        return
    status = _status(error)
    message = error_message(answer) or "an error without a message"
    if is_retryable_status(status):
        raise AttemptFailed(f"the server reported: {message}")
    raise LLMRequestError(f"The model server refused the request: {message.rstrip('.')}.", status=status)


def _status(error: Json) -> int:
    fields = cast(JsonObject, error) if isinstance(error, dict) else {}
    code = fields.get("code")
    if isinstance(code, int) and 400 <= code <= 599:  # noqa: PLR2004  # HTTP's error statuses
        return code
    return _STATUS_OF_TYPE.get(str(fields.get("type")), 500)


def error_message(answer: JsonObject) -> str:
    """The message in an error body: the first of error.message, error, message and detail; "" without one."""
    error = answer.get("error")
    if isinstance(error, dict):
        error = cast(JsonObject, error).get("message")
    candidates = (error, answer.get("message"), answer.get("detail"))
    return next((text for text in candidates if isinstance(text, str)), "")
