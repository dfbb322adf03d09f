"""What every wire format offers the adapter, and how their answers are read: shapes, usage, reported errors. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, NamedTuple, Protocol, cast

from aeon.base.errors import LLMRequestError
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.llm.interface import LLMRequest, LLMResponse
from aeon.llm.retry import AttemptFailed, is_retryable_status


class ServerEvent(NamedTuple):
    """One event: its name ("message" when none was sent) and its data, lines joined."""

    name: str
    data: str


def parse_events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """The events in `chunks`, however the bytes are cut; an event without its closing blank line is dropped.

    Raises AttemptFailed for bytes that are no UTF-8.
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
    # Parts are joined once per line, so that a very long line costs its length and not its square.
    begun: list[bytes] = []
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            yield _text(b"".join([*begun, end]).removesuffix(b"\r"))
            begun = []
        if rest:
            begun.append(rest)


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise AttemptFailed("the stream holds bytes that are no UTF-8") from None


_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
}
"""Error types that asking again cannot mend; any other type reported inside an answer may pass."""


class StreamReader(Protocol):
    """Puts one streamed answer together."""

    @property
    def is_complete(self) -> bool:
        """Whether the server said that nothing more comes."""
        ...

    def feed(self, event: ServerEvent) -> str:
        """The text this event adds, often none. Raises AttemptFailed or LLMRequestError for a reported error."""
        ...

    def reply(self) -> LLMResponse:
        """The whole answer. Raises AttemptFailed when the stream ended before its end."""
        ...


class WireFormat(Protocol):
    """One API's format: pure functions between `Request`, `LLMResponse` and JSON."""

    path: ClassVar[str]
    """Where to post, below the API's root."""

    def headers(self, api_key: str | None) -> dict[str, str]:
        """What the API wants in every request's head."""
        ...

    def encode(self, request: LLMRequest, *, stream: bool) -> JsonObject:
        """The body to post."""
        ...

    def decode(self, answer: JsonObject) -> LLMResponse:
        """A whole answer. Raises AttemptFailed when it has another shape, or reports a fault that may pass."""
        ...

    def reader(self) -> StreamReader:
        """A fresh reader for one streamed answer."""
        ...


def parse_object(text: str | bytes) -> JsonObject:
    """A JSON object from the wire. Raises AttemptFailed for anything else."""
    try:
        value = parse_strict(text if isinstance(text, str) else text.decode())
    except ValueError as error:
        raise AttemptFailed(f"the answer is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise AttemptFailed(f"the answer is a JSON {type(value).__name__}, not an object")
    return cast(JsonObject, value)


def require_object(value: Json, where: str) -> JsonObject:
    """`value` as an object. Raises AttemptFailed naming `where` it should have stood."""
    if not isinstance(value, dict):
        raise AttemptFailed(f"the answer has no object at {where}")
    return cast(JsonObject, value)


def require_first(value: Json, where: str) -> JsonObject:
    """The first object of a list. Raises AttemptFailed naming `where` the list should have stood."""
    items = cast("list[Json]", value) if isinstance(value, list) else []
    return require_object(items[0] if items else None, f"{where}[0]")


def require_text(value: Json, where: str) -> str:
    """`value` as text, a null as none. Raises AttemptFailed naming `where` it stood for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise AttemptFailed(f"the answer has no text at {where}")
    return value


def text_or_none(value: Json) -> str | None:
    """`value` when it is text."""
    return value if isinstance(value, str) else None


def read_usage(raw: Json, names: Mapping[str, str]) -> JsonObject:
    """The counts in `raw` under our names: {"input_tokens": int, "output_tokens": int}, each only where known."""
    counts = cast(JsonObject, raw) if isinstance(raw, dict) else {}
    return {
        ours: counts[theirs]
        for theirs, ours in names.items()
        if isinstance(counts.get(theirs), int) and not isinstance(counts[theirs], bool)
    }


def raise_reported_error(answer: JsonObject) -> None:
    """Raise what an answer reports as `error` although its HTTP status was 200: in a stream, or in process.

    AttemptFailed when it may pass, LLMRequestError when not.
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
    """What a server says in an error body: error.message, error, message or detail, whichever is there."""
    error = answer.get("error")
    if isinstance(error, dict):
        error = cast(JsonObject, error).get("message")
    return next((said for said in (error, answer.get("message"), answer.get("detail")) if isinstance(said, str)), "")
