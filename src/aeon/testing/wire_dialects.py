"""How the wire double writes answers: in OpenAI's chat completions and in Anthropic's messages.

Written from the APIs' descriptions, apart from the adapters' own code, so that one checks the other.
"""

import json
from dataclasses import dataclass
from typing import Protocol

from aeon.base.json import JsonObject

_PIECE = 5


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """An answer to write: its text, why it ends ("stop", "length", "refusal"), whether tokens are counted."""

    text: str
    finish_reason: str = "stop"
    counts_usage: bool = True


class Dialect(Protocol):
    """One API's way to write."""

    def response_body(self, spoken: WireAnswer, model: str) -> JsonObject:
        """The body of an answer that is not streamed."""
        ...

    def stream_start(self, spoken: WireAnswer, model: str) -> list[bytes]:
        """The events of a streamed answer, up to its last piece of text."""
        ...

    def stream_end(self, spoken: WireAnswer, model: str) -> list[bytes]:
        """The events that end a streamed answer."""
        ...

    def error(self, status: int, message: str) -> JsonObject:
        """The body of an error."""
        ...


class ChatDialect:
    """OpenAI's chat completions."""

    def response_body(self, spoken: WireAnswer, model: str) -> JsonObject:
        refused = spoken.finish_reason == "refusal"
        message = {
            "role": "assistant",
            "content": None if refused else spoken.text,
            "refusal": spoken.text if refused else None,
        }
        choice = {"index": 0, "message": message, "finish_reason": self._finish(spoken)}
        return self._head(model, "chat.completion") | {"choices": [choice]} | self._usage(spoken)

    def stream_start(self, spoken: WireAnswer, model: str) -> list[bytes]:
        field = "refusal" if spoken.finish_reason == "refusal" else "content"
        deltas: list[JsonObject] = [{"role": "assistant", "content": None if field == "refusal" else ""}]
        deltas += [{field: piece} for piece in pieces(spoken.text)]
        return [self._chunk(model, {"index": 0, "delta": delta, "finish_reason": None}) for delta in deltas]

    def stream_end(self, spoken: WireAnswer, model: str) -> list[bytes]:
        last = self._chunk(model, {"index": 0, "delta": {}, "finish_reason": self._finish(spoken)})
        no_choice: JsonObject = {"choices": []}
        count = event(self._head(model, "chat.completion.chunk") | no_choice | self._usage(spoken))
        return [last, *([count] if spoken.counts_usage else []), b"data: [DONE]\n\n"]

    def error(self, status: int, message: str) -> JsonObject:
        kind = "server_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004  # HTTP's server errors
        return {"error": {"message": message, "type": kind, "param": None, "code": status}}

    def _finish(self, spoken: WireAnswer) -> str:
        # OpenAI ends a refusal with "stop" and says it in a field of its own.
        return "length" if spoken.finish_reason == "length" else "stop"

    def _head(self, model: str, kind: str) -> JsonObject:
        return {"id": "chatcmpl-double", "object": kind, "created": 1, "model": model}

    def _chunk(self, model: str, choice: JsonObject) -> bytes:
        return event(self._head(model, "chat.completion.chunk") | {"choices": [choice]})

    def _usage(self, spoken: WireAnswer) -> JsonObject:
        counts = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        return {"usage": counts} if spoken.counts_usage else {}


class MessagesDialect:
    """Anthropic's messages."""

    def response_body(self, spoken: WireAnswer, model: str) -> JsonObject:
        usage = {"usage": {"input_tokens": 7, "output_tokens": 3}} if spoken.counts_usage else {}
        content = [{"type": "text", "text": spoken.text}]
        return (
            self._head(model) | {"content": content, "stop_reason": self._stop(spoken), "stop_sequence": None} | usage
        )

    def stream_start(self, spoken: WireAnswer, model: str) -> list[bytes]:
        usage = {"usage": {"input_tokens": 7, "output_tokens": 1}} if spoken.counts_usage else {}
        unsaid: JsonObject = {"content": [], "stop_reason": None, "stop_sequence": None}
        message = self._head(model) | unsaid | usage
        block = {"type": "text", "text": ""}
        return [
            event({"type": "message_start", "message": message}, named=True),
            event({"type": "content_block_start", "index": 0, "content_block": block}, named=True),
            event({"type": "ping"}, named=True),
            *(self._delta(piece) for piece in pieces(spoken.text)),
        ]

    def stream_end(self, spoken: WireAnswer, model: str) -> list[bytes]:  # noqa: ARG002  # one of the Dialect's
        usage = {"usage": {"output_tokens": 3}} if spoken.counts_usage else {}
        delta = {"stop_reason": self._stop(spoken), "stop_sequence": None}
        return [
            event({"type": "content_block_stop", "index": 0}, named=True),
            event({"type": "message_delta", "delta": delta} | usage, named=True),
            event({"type": "message_stop"}, named=True),
        ]

    def error(self, status: int, message: str) -> JsonObject:
        kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        default = "api_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004  # HTTP's server errors
        return {"type": "error", "error": {"type": kinds.get(status, default), "message": message}}

    def _stop(self, spoken: WireAnswer) -> str:
        return {"length": "max_tokens", "refusal": "refusal"}.get(spoken.finish_reason, "end_turn")

    def _head(self, model: str) -> JsonObject:
        return {"id": "msg_double", "type": "message", "role": "assistant", "model": model}

    def _delta(self, piece: str) -> bytes:
        delta = {"type": "text_delta", "text": piece}
        return event({"type": "content_block_delta", "index": 0, "delta": delta}, named=True)


def pieces(text: str) -> list[str]:
    """`text` cut as a model would stream it."""
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


def event(body: JsonObject, *, named: bool = False) -> bytes:
    """One server-sent event; Anthropic's carry their type as the event's name too."""
    name = f"event: {body['type']}\n" if named else ""
    return f"{name}data: {json.dumps(body)}\n\n".encode()
