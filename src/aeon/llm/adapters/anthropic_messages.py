"""The wire format of Anthropic's Messages API. Pure."""

from dataclasses import dataclass
from typing import ClassVar, cast

from aeon.base.json import Json, JsonObject
from aeon.llm.adapters.schema_subsets import constrain_schema
from aeon.llm.adapters.wire import (
    ServerEvent,
    parse_object,
    raise_reported_error,
    read_usage,
    require_object,
    require_text,
    text_or_none,
)
from aeon.llm.interface import LLMRequest, LLMResponse
from aeon.llm.retry import OTHER_API, AttemptFailed

_VERSION = "2023-06-01"
_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens"}
_END = "message_stop"


@dataclass(frozen=True, slots=True)
class AnthropicMessagesWire:
    """Requests and responses of POST /messages."""

    path: ClassVar[str] = "messages"

    model: str
    enforces_schema: bool = True
    sends_temperature: bool = True

    def headers(self, api_key: str | None) -> dict[str, str]:
        return {"anthropic-version": _VERSION} | ({"x-api-key": api_key} if api_key else {})

    def encode(self, request: LLMRequest, *, stream: bool) -> JsonObject:
        body: JsonObject = {
            "model": self.model,
            "max_tokens": request.max_tokens,
            "messages": [
                *({"role": message.role, "content": message.text} for message in request.history),
                {"role": "user", "content": _content(request)},
            ],
        }
        if request.system_prompt:
            body["system"] = request.system_prompt
        if self.sends_temperature:
            # The API's scale ends at 1; it refuses higher values.
            body["temperature"] = min(request.temperature, 1.0)
        if self.enforces_schema and request.schema is not None:
            body |= _output_config(request.schema)
        if stream:
            body["stream"] = True
        return body

    def decode(self, answer: JsonObject) -> LLMResponse:
        raise_reported_error(answer)
        blocks = answer.get("content")
        if not isinstance(blocks, list):
            raise AttemptFailed("the response has no list at content", next_step=OTHER_API)
        return LLMResponse(
            text="".join(_block_text(block) for block in cast("list[Json]", blocks)),
            finish_reason=_finish_reason(answer.get("stop_reason")),
            usage=read_usage(answer.get("usage"), _USAGE),
            model=text_or_none(answer.get("model")),
            request_id=text_or_none(answer.get("id")),
        )

    def reader(self) -> "AnthropicMessagesReader":
        return AnthropicMessagesReader()


class AnthropicMessagesReader:
    """Assembles streamed events. A stop reason or message_stop is the end; a stream without either was cut off."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._stop_reason: Json = None
        self._message: JsonObject = {}
        self._usage: JsonObject = {}
        self.is_complete = False

    def feed(self, event: ServerEvent) -> str:
        body = parse_object(event.data)
        raise_reported_error(body)
        kind = body.get("type")
        if kind == "content_block_delta":
            return self._feed_delta(require_object(body.get("delta"), "delta"))
        if kind == "message_start":
            self._message = require_object(body.get("message"), "message")
            self._usage |= read_usage(self._message.get("usage"), _USAGE)
        elif kind == "message_delta":
            self._stop_reason = require_object(body.get("delta"), "delta").get("stop_reason")
            self._usage |= read_usage(body.get("usage"), _USAGE)
        self.is_complete = kind == _END
        return ""

    def _feed_delta(self, delta: JsonObject) -> str:
        # Thinking arrives as deltas of other types and is not part of the response.
        piece = require_text(delta.get("text"), "delta.text") if delta.get("type") == "text_delta" else ""
        self._pieces.append(piece)
        return piece

    def reply(self) -> LLMResponse:
        if not self.is_complete and self._stop_reason is None:
            raise AttemptFailed(f"the stream was cut off after {len(''.join(self._pieces))} characters, before its end")
        return self._reply(_finish_reason(self._stop_reason))

    def cut_reply(self) -> LLMResponse:
        """What has come, of a response that is not awaited to its end."""
        return self._reply("length")

    def _reply(self, finish_reason: str | None) -> LLMResponse:
        return LLMResponse(
            text="".join(self._pieces),
            finish_reason=finish_reason,
            usage=self._usage,
            model=text_or_none(self._message.get("model")),
            request_id=text_or_none(self._message.get("id")),
        )


def _output_config(schema: JsonObject) -> JsonObject:
    form = constrain_schema(schema)
    return {} if form is None else {"output_config": {"format": {"type": "json_schema", "schema": form}}}


def _block_text(block: Json) -> str:
    fields = require_object(block, "content[]")
    return require_text(fields.get("text"), "content[].text") if fields.get("type") == "text" else ""


def _finish_reason(reported: Json) -> str | None:
    return _FINISH_REASONS.get(reported) if isinstance(reported, str) else None


def _content(request: LLMRequest) -> str | list[JsonObject]:
    """The user's message: the prompt, after the images if there are any."""
    pictures: list[JsonObject] = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": image.media_type, "data": image.as_base64()},
        }
        for image in request.images
    ]
    return [*pictures, {"type": "text", "text": request.prompt}] if pictures else request.prompt
