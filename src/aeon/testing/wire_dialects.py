"""The wire double's response formats: OpenAI's chat completions and Anthropic's messages.

Written from the APIs' documentation, independently of the adapters, so that each checks the other.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol, cast

from aeon.base.json import Json, JsonObject

_PIECE = 5


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """A response to write: its text, finish reason, and whether it has usage counts.

    The finish reason is "stop", "length" or "refusal", or "content_filter" where the API has that.

    `odds` are the text's tokens, in order, each with its probability; a chat completion reports them.
    """

    text: str
    finish_reason: str = "stop"
    counts_usage: bool = True
    odds: Sequence[tuple[str, float]] = ()


class Dialect(Protocol):
    """One API's response format."""

    def response_body(self, answer: WireAnswer, model: str) -> JsonObject:
        """The body of a response that is not streamed."""
        ...

    def stream_start(self, answer: WireAnswer, model: str) -> list[bytes]:
        """The events of a streamed response, up to its last piece of text."""
        ...

    def stream_end(self, answer: WireAnswer, model: str) -> list[bytes]:
        """The events that end a streamed response."""
        ...

    def error(self, status: int, message: str) -> JsonObject:
        """The body of an error."""
        ...


class ChatDialect:
    """OpenAI's chat completions."""

    def response_body(self, answer: WireAnswer, model: str) -> JsonObject:
        refused = answer.finish_reason == "refusal"
        message = {
            "role": "assistant",
            "content": None if refused else answer.text,
            "refusal": answer.text if refused else None,
        }
        choice = {"index": 0, "message": message, "finish_reason": self._finish(answer), **self._reported(answer.odds)}
        return self._head(model, "chat.completion") | {"choices": [choice]} | self._usage(answer)

    def stream_start(self, answer: WireAnswer, model: str) -> list[bytes]:
        field = "refusal" if answer.finish_reason == "refusal" else "content"
        deltas: list[JsonObject] = [{"role": "assistant", "content": None if field == "refusal" else ""}]
        deltas += [{field: piece} for piece in (pieces(answer.text) if not answer.odds else ())]
        choices: list[JsonObject] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices += [
            {"index": 0, "delta": {field: token}, "finish_reason": None, **self._reported([(token, probability)])}
            for token, probability in answer.odds
        ]
        return [self._chunk(model, choice) for choice in choices]

    def stream_end(self, answer: WireAnswer, model: str) -> list[bytes]:
        last = self._chunk(model, {"index": 0, "delta": {}, "finish_reason": self._finish(answer)})
        no_choice: JsonObject = {"choices": []}
        count = event(self._head(model, "chat.completion.chunk") | no_choice | self._usage(answer))
        return [last, *([count] if answer.counts_usage else []), b"data: [DONE]\n\n"]

    def error(self, status: int, message: str) -> JsonObject:
        kind = "server_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004  # HTTP's server errors
        return {"error": {"message": message, "type": kind, "param": None, "code": status}}

    def _reported(self, odds: Sequence[tuple[str, float]]) -> JsonObject:
        content: list[Json] = [{"token": token, "logprob": log(odd), "top_logprobs": []} for token, odd in odds]
        return {"logprobs": {"content": content, "refusal": None}} if odds else {}

    def _finish(self, answer: WireAnswer) -> str:
        # OpenAI ends a refusal with "stop" and reports it in a separate field.
        return answer.finish_reason if answer.finish_reason in ("length", "content_filter") else "stop"

    def _head(self, model: str, kind: str) -> JsonObject:
        return {"id": "chatcmpl-double", "object": kind, "created": 1, "model": model}

    def _chunk(self, model: str, choice: JsonObject) -> bytes:
        return event(self._head(model, "chat.completion.chunk") | {"choices": [choice]})

    def _usage(self, answer: WireAnswer) -> JsonObject:
        counts = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        return {"usage": counts} if answer.counts_usage else {}


class MessagesDialect:
    """Anthropic's messages."""

    def response_body(self, answer: WireAnswer, model: str) -> JsonObject:
        usage = {"usage": {"input_tokens": 7, "output_tokens": 3}} if answer.counts_usage else {}
        content = [{"type": "text", "text": answer.text}]
        return (
            self._head(model) | {"content": content, "stop_reason": self._stop(answer), "stop_sequence": None} | usage
        )

    def stream_start(self, answer: WireAnswer, model: str) -> list[bytes]:
        usage = {"usage": {"input_tokens": 7, "output_tokens": 1}} if answer.counts_usage else {}
        empty: JsonObject = {"content": [], "stop_reason": None, "stop_sequence": None}
        message = self._head(model) | empty | usage
        block = {"type": "text", "text": ""}
        return [
            event({"type": "message_start", "message": message}, named=True),
            event({"type": "content_block_start", "index": 0, "content_block": block}, named=True),
            event({"type": "ping"}, named=True),
            *(self._delta(piece) for piece in pieces(answer.text)),
        ]

    def stream_end(self, answer: WireAnswer, model: str) -> list[bytes]:  # noqa: ARG002  # a method of Dialect
        usage = {"usage": {"output_tokens": 3}} if answer.counts_usage else {}
        delta = {"stop_reason": self._stop(answer), "stop_sequence": None}
        return [
            event({"type": "content_block_stop", "index": 0}, named=True),
            event({"type": "message_delta", "delta": delta} | usage, named=True),
            event({"type": "message_stop"}, named=True),
        ]

    def error(self, status: int, message: str) -> JsonObject:
        kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        default = "api_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004  # HTTP's server errors
        return {"type": "error", "error": {"type": kinds.get(status, default), "message": message}}

    def _stop(self, answer: WireAnswer) -> str:
        return {"length": "max_tokens", "refusal": "refusal"}.get(answer.finish_reason, "end_turn")

    def _head(self, model: str) -> JsonObject:
        return {"id": "msg_double", "type": "message", "role": "assistant", "model": model}

    def _delta(self, piece: str) -> bytes:
        delta = {"type": "text_delta", "text": piece}
        return event({"type": "content_block_delta", "index": 0, "delta": delta}, named=True)


def pieces(text: str) -> list[str]:
    """`text` in pieces, as a model would stream it."""
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


def event(body: JsonObject, *, named: bool = False) -> bytes:
    """One server-sent event; Anthropic's carry their type as the event's name too."""
    name = f"event: {body['type']}\n" if named else ""
    return f"{name}data: {json.dumps(body)}\n\n".encode()


_CHAT = frozenset(
    {
        *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "stream", "stream_options"),
        *("response_format", "seed", "top_p", "stop", "n", "user", "logprobs"),
    }
)
_EMBEDDINGS = frozenset({"model", "input", "encoding_format", "dimensions", "user"})
_MESSAGES = frozenset(
    {
        *("model", "messages", "system", "max_tokens", "temperature", "stream", "output_config", "metadata"),
        *("stop_sequences", "top_p", "top_k"),
    }
)
_VLLM_OUTPUTS = frozenset({"json", "regex", "choice", "grammar", "json_object", "structural_tag"}) | {
    *("whitespace_pattern", "disable_any_whitespace", "disable_additional_properties"),
}
_NOT_IN_MESSAGES = frozenset(
    {
        *("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("maxItems", "oneOf", "not", "if"),
    }
)


@dataclass(frozen=True, slots=True)
class APIProfile:
    """The checks and formats of one API."""

    path: str
    dialect: Dialect
    known: frozenset[str]
    key_header: str
    faults: Callable[[JsonObject, Mapping[str, str]], Iterator[str]]
    required: frozenset[str] = frozenset({"model", "messages"})

    def fault(self, body: JsonObject, headers: Mapping[str, str]) -> str | None:
        """The reason why this API would refuse `body`, or None."""
        foreign = sorted(body.keys() - self.known)
        if foreign:
            return f"Unrecognized request argument supplied: {', '.join(foreign)}"
        missing = sorted(self.required - body.keys())
        if missing:
            return f"Missing required parameter: {', '.join(missing)}"
        return next(self.faults(body, headers), None)


def _openai_faults(body: JsonObject, headers: Mapping[str, str]) -> Iterator[str]:  # noqa: ARG001  # the signature of APIProfile.faults
    named = body.get("response_format", {}).get("json_schema")
    if named is None:
        return
    if not named.get("name"):
        yield "Missing required parameter: 'response_format.json_schema.name'"
    if named.get("strict"):
        yield from (f"Invalid schema for response_format: {fault}" for fault in _not_strict(named["schema"]))


def _no_faults(body: JsonObject, headers: Mapping[str, str]) -> Iterator[str]:  # noqa: ARG001  # as `_openai_faults`
    return iter(())


def _vllm_faults(body: JsonObject, headers: Mapping[str, str]) -> Iterator[str]:
    foreign = sorted(body.get("structured_outputs", {}).keys() - _VLLM_OUTPUTS)
    if foreign:
        yield f"structured_outputs has no {', '.join(foreign)}"
    yield from _openai_faults(body, headers)


def _anthropic_faults(body: JsonObject, headers: Mapping[str, str]) -> Iterator[str]:
    if "anthropic-version" not in headers:
        yield "anthropic-version: header is required"
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens: Field required"
    if not 0 <= body.get("temperature", 1) <= 1:
        yield "temperature: range: 0..1"
    schema = body.get("output_config", {}).get("format", {}).get("schema")
    for node in _objects_in(schema):
        for keyword in sorted(_NOT_IN_MESSAGES & node.keys()):
            yield f"output_config.format.schema: property '{keyword}' is not supported"
        if node.get("type") == "object" and node.get("additionalProperties") is not False:
            yield "output_config.format.schema: 'additionalProperties' must be explicitly set to false"


def _not_strict(schema: Json) -> Iterator[str]:
    for node in _objects_in(schema):
        if node.get("type") != "object":
            continue
        if node.get("additionalProperties") is not False:
            yield "'additionalProperties' is required to be supplied and to be false."
        if set(node.get("required", ())) != set(node.get("properties", {})):
            yield "'required' is required to be supplied and to be an array including every key in properties."


def _objects_in(value: Json) -> Iterator[JsonObject]:
    if isinstance(value, dict):
        yield cast(JsonObject, value)
        for inner in cast(JsonObject, value).values():
            yield from _objects_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[Json]", value):
            yield from _objects_in(inner)


PROFILES = {
    "openai": APIProfile("/v1/chat/completions", ChatDialect(), _CHAT, "authorization", _openai_faults),
    "vllm": APIProfile(
        "/v1/chat/completions", ChatDialect(), _CHAT | {"structured_outputs"}, "authorization", _vllm_faults
    ),
    "embeddings": APIProfile(
        "/v1/embeddings", ChatDialect(), _EMBEDDINGS, "authorization", _no_faults, frozenset({"model", "input"})
    ),
    "anthropic": APIProfile("/v1/messages", MessagesDialect(), _MESSAGES, "x-api-key", _anthropic_faults),
}
"""The APIs by name."""
