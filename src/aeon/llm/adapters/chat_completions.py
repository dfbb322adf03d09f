"""The wire format of OpenAI's chat completions, also used by vLLM, llama.cpp and many others. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar, TypeAlias, cast

from aeon.base.json import Json, JsonObject
from aeon.llm.adapters.schema_subsets import fits_strict_mode
from aeon.llm.adapters.wire import (
    ServerEvent,
    parse_object,
    raise_reported_error,
    read_usage,
    require_first,
    require_object,
    require_text,
    text_or_none,
)
from aeon.llm.interface import LLMRequest, LLMResponse, UnsureToken
from aeon.llm.retry import AttemptFailed

SchemaFields: TypeAlias = Callable[[JsonObject], JsonObject]
"""Returns the body fields that make a server follow a JSON Schema."""

_FINISH_REASONS = {"stop": "stop", "length": "length", "model_length": "length", "content_filter": "refusal"}
_USAGE = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
_END = "[DONE]"

_MAX_UNSURE = 100
_EVEN = log(0.5)


def response_format(schema: JsonObject) -> JsonObject:
    """The field for OpenAI, strict only if strict mode accepts the schema (it refuses any other with a 400)."""
    named = {"name": "answer", "schema": schema, "strict": fits_strict_mode(schema)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def structured_outputs(schema: JsonObject) -> JsonObject:
    """The field for vLLM. Without the whitespace option small models fill their token limit with blanks."""
    return {"structured_outputs": {"json": schema, "disable_any_whitespace": True}}


def unconstrained(schema: JsonObject) -> JsonObject:  # noqa: ARG001  # one of the SchemaFields
    """No field, for servers without schema support."""
    return {}


@dataclass(frozen=True, slots=True)
class ChatCompletionsWire:
    """Requests and responses of POST /chat/completions.

    OpenAI's reasoning models require `max_tokens_field` "max_completion_tokens" and no temperature.
    `asks_probabilities`: whether the server tells how probable each token was; some refuse a request for it.
    """

    path: ClassVar[str] = "chat/completions"

    model: str
    schema_fields: SchemaFields = response_format
    max_tokens_field: str = "max_tokens"
    sends_temperature: bool = True
    asks_probabilities: bool = False

    def headers(self, api_key: str | None) -> dict[str, str]:
        return {"authorization": f"Bearer {api_key}"} if api_key else {}

    def encode(self, request: LLMRequest, *, stream: bool) -> JsonObject:
        body: JsonObject = {
            "model": self.model,
            "messages": _messages(request),
            self.max_tokens_field: request.max_tokens,
        }
        if self.sends_temperature:
            body["temperature"] = request.temperature
        if self.asks_probabilities:
            body["logprobs"] = True
        if request.schema is not None:
            body |= self.schema_fields(request.schema)
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def decode(self, answer: JsonObject) -> LLMResponse:
        raise_reported_error(answer)
        choice = require_first(answer.get("choices"), "choices")
        message = require_object(choice.get("message"), "choices[0].message")
        refusal = text_or_none(message.get("refusal"))
        return LLMResponse(
            text=refusal or require_text(message.get("content"), "choices[0].message.content"),
            finish_reason="refusal" if refusal else _finish_reason(choice.get("finish_reason")),
            usage=read_usage(answer.get("usage"), _USAGE),
            model=text_or_none(answer.get("model")),
            request_id=text_or_none(answer.get("id")),
            unsure=tuple(_unsure_tokens(choice, 0))[:_MAX_UNSURE],
        )

    def reader(self) -> "ChatCompletionsReader":
        return ChatCompletionsReader()


class ChatCompletionsReader:
    """Assembles streamed chunks. A finish reason or [DONE] is the end; a stream without either was cut off."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._unsure: list[UnsureToken] = []
        self._finish_reason: Json = None
        self._is_refusal = False
        self._has_ended = False
        self._heads: JsonObject = {}
        self.is_complete = False

    def feed(self, event: ServerEvent) -> str:
        """Returns the text that an event adds; [DONE] adds none."""
        if event.data == _END:
            self.is_complete = self._has_ended = True
            return ""
        return self.feed_chunk(parse_object(event.data))

    def feed_chunk(self, chunk: JsonObject) -> str:
        """Returns the text that one `chat.completion.chunk` adds."""
        raise_reported_error(chunk)
        self._heads |= {key: chunk[key] for key in ("id", "model", "usage") if chunk.get(key)}
        # The last chunk carries the usage and an empty list of choices.
        return self._feed_choice(require_first(chunk["choices"], "choices")) if chunk.get("choices") else ""

    def _feed_choice(self, choice: JsonObject) -> str:
        if choice.get("finish_reason") is not None:
            self._finish_reason = choice["finish_reason"]
            self._has_ended = True
        delta = require_object(choice.get("delta"), "choices[0].delta")
        refusal = require_text(delta.get("refusal"), "choices[0].delta.refusal")
        self._is_refusal = self._is_refusal or bool(refusal)
        piece = refusal + require_text(delta.get("content"), "choices[0].delta.content")
        self._unsure += _unsure_tokens(choice, self._length)
        self._pieces.append(piece)
        self._length += len(piece)
        return piece

    def reply(self) -> LLMResponse:
        if not self._has_ended:
            raise AttemptFailed(f"the stream was cut off after {len(''.join(self._pieces))} characters, before its end")
        return self._reply("refusal" if self._is_refusal else _finish_reason(self._finish_reason))

    def cut_reply(self) -> LLMResponse:
        """What has come, of a response that is not awaited to its end."""
        return self._reply("length")

    def _reply(self, finish_reason: str | None) -> LLMResponse:
        return LLMResponse(
            text="".join(self._pieces),
            finish_reason=finish_reason,
            usage=read_usage(self._heads.get("usage"), _USAGE) | _cached(self._heads.get("usage")),
            model=text_or_none(self._heads.get("model")),
            request_id=text_or_none(self._heads.get("id")),
            unsure=tuple(self._unsure[:_MAX_UNSURE]),
        )


def _unsure_tokens(choice: JsonObject, at: int) -> Iterator[UnsureToken]:
    """The tokens of a choice to which the model gave less than even odds; their text begins at `at`."""
    reported = choice.get("logprobs")
    listed = cast(JsonObject, reported).get("content") if isinstance(reported, dict) else None
    tokens = [cast(JsonObject, each) for each in cast(list[Json], listed or []) if isinstance(each, dict)]
    for each in tokens:
        token, odds = each.get("token"), each.get("logprob")
        if isinstance(token, str) and isinstance(odds, int | float):
            if odds < _EVEN:
                yield UnsureToken(at, token, round(exp(odds), 2))
            at += len(token)


def _cached(usage: Json) -> JsonObject:
    """The tokens of the prompt that the server had read before, if it reports them: `cached_tokens`."""
    details = cast(JsonObject, usage).get("prompt_tokens_details") if isinstance(usage, dict) else None
    return read_usage(details, {"cached_tokens": "cached_tokens"})


def _messages(request: LLMRequest) -> list[JsonObject]:
    system = [{"role": "system", "content": request.system_prompt}] if request.system_prompt else []
    pictures = [
        {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{image.as_base64()}"}}
        for image in request.images
    ]
    content = [*pictures, {"type": "text", "text": request.prompt}] if pictures else request.prompt
    history = [{"role": message.role, "content": message.text} for message in request.history]
    return [*system, *history, {"role": "user", "content": content}]


def _finish_reason(reported: Json) -> str | None:
    return _FINISH_REASONS.get(reported) if isinstance(reported, str) else None
