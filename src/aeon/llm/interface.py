"""The port to a language model: request, response, and the adapter interface."""

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Literal, NamedTuple, Optional, TypeAlias, cast  # noqa: UP035  # the published signature

from aeon.base.errors import AeonError, LLMError, exception_message, is_recordable
from aeon.base.json import Json, JsonObject, copy_json, json_problems

TextSink: TypeAlias = Callable[[str], None]
"""Receives each piece of text as the model generates it; an empty one while it reads, so that a sink may stop it."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for a model that sees: its media type, such as `image/png`, and its bytes."""

    media_type: str
    content: bytes

    def as_base64(self) -> str:
        """The bytes as text, as the APIs of models take them."""
        return b64encode(self.content).decode()


class ChatMessage(NamedTuple):
    """An earlier message of a conversation, by the user or by the model."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """One request to a model. `schema` is a JSON Schema for the response; `max_tokens` counts output tokens.

    `history` holds the earlier messages of the conversation that `prompt` continues, oldest first. An adapter whose
    model does not see raises LLMError for a request with `images`: they are never ignored.
    """

    prompt: str
    system_prompt: str | None = None
    max_tokens: int = 2048
    temperature: float = 0.7
    schema: JsonObject | None = None
    images: tuple[Image, ...] = ()
    history: tuple[ChatMessage, ...] = ()


class TokenCounts(NamedTuple):
    """The tokens of a request's messages, the system prompt first; they add up to what the model will report.

    `counter` says who counted.
    """

    counter: str
    messages: tuple[int, ...]


class UnsureToken(NamedTuple):
    """A token of a response to which the model gave less than even odds, as it is, and where it begins in the text."""

    at: int
    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """One response. `finish_reason` is "stop", "length", "refusal", or None if unknown.

    "length" means that it was cut off: by `max_tokens`, or because it repeated itself. `unsure` has the tokens of which
    the model was not sure, the first hundred at most; it is empty if the adapter does not know them.
    """

    text: str
    finish_reason: str | None = None
    usage: JsonObject = field(default_factory=dict[str, Any])
    model: str | None = None
    request_id: str | None = None
    unsure: tuple[UnsureToken, ...] = ()

    @property
    def is_truncated(self) -> bool:
        """Whether the token limit cut the text off (core 9)."""
        return self.finish_reason == "length"

    def as_dict(self) -> JsonObject:
        """The response as `LLMAdapter.generate` returns it and the log keeps it; `unsure` only if it has tokens."""
        unsure: JsonObject = {"unsure": [list(token) for token in self.unsure]} if self.unsure else {}
        return {
            "text": self.text,
            "finish_reason": self.finish_reason,
            "usage": deepcopy(self.usage),
            "model": self.model,
            "request_id": self.request_id,
            **unsure,
        }

    @classmethod
    def from_dict(cls, raw: JsonObject) -> "LLMResponse":
        """Reads the result of an adapter's `generate`. Raises LLMError if it has no `text`."""
        text = raw.get("text") if isinstance(raw, dict) else None  # pyright: ignore[reportUnnecessaryIsInstance]  # adapters are external code
        if not isinstance(text, str):
            raise LLMError(
                "The LLM adapter returned no text.",
                next_step='generate() must return a dict with a "text" string.',
                retryable=False,
            )
        return cls(
            text=text,
            finish_reason=_text_or_none(raw.get("finish_reason")),
            usage=cast(JsonObject, raw.get("usage") or {}),
            model=_text_or_none(raw.get("model")),
            request_id=_text_or_none(raw.get("request_id")),
            unsure=read_unsure(raw),
        )


def read_unsure(raw: JsonObject) -> tuple[UnsureToken, ...]:
    """The unsure tokens of a response as JSON; entries that are none are left out."""
    listed = raw.get("unsure")
    tokens = cast("list[list[Any]]", listed) if isinstance(listed, list) else []
    return tuple(UnsureToken(*each) for each in tokens if _is_unsure_token(each))


class LLMAdapter(ABC):
    """A language model. An adapter must implement the two abstract methods; the others declare additional abilities."""

    @abstractmethod
    def generate(
        self,
        prompt: str,
        system_prompt: Optional[str] = None,  # noqa: UP045  # the published signature
        max_tokens: int = 2048,
        temperature: float = 0.7,
    ) -> Dict[str, Any]:  # noqa: UP006  # the published signature
        """Answers `prompt` with a dict: "text" and, if known, "finish_reason", "usage", "model", "request_id".

        Retries internally, three attempts (FR-048, core 8). Raises LLMError if all fail.
        """

    @abstractmethod
    def supports_streaming(self) -> bool:
        """Whether `complete` passes on text while it is generated."""

    def supports_schema(self) -> bool:
        """Whether `complete` constrains decoding to `LLMRequest.schema` (core 11). Output is validated anyway."""
        return False

    def count_tokens(self, request: LLMRequest) -> TokenCounts | None:  # noqa: ARG002  # few adapters can
        """The tokens of a request, exactly as the model counts them; None if only the model's server knows."""
        return None

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """Answers `request` and passes text to `on_text` as it arrives.

        This default serves adapters that have only `generate`: it ignores the schema, writes the history before the
        prompt, and passes the text at once. Raises LLMError for a request with images.
        """
        refuse_images(request, type(self).__name__)
        prompt = prompt_with_history(request)
        reply = LLMResponse.from_dict(
            self.generate(prompt, request.system_prompt, request.max_tokens, request.temperature)
        )
        if on_text is not None:
            on_text(reply.text)
        return reply


class RequestAdapter(LLMAdapter):
    """An adapter that implements `complete`; the published `generate` calls it."""

    def generate(
        self,
        prompt: str,
        system_prompt: Optional[str] = None,  # noqa: UP045  # the published signature
        max_tokens: int = 2048,
        temperature: float = 0.7,
    ) -> Dict[str, Any]:  # noqa: UP006  # the published signature
        return self.complete(LLMRequest(prompt, system_prompt, max_tokens, temperature)).as_dict()

    @abstractmethod
    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """Answers `request` and passes text to `on_text` as it arrives."""


class WrappedAdapter(RequestAdapter):
    """An adapter around another one, which does what a subclass does not do itself."""

    def __init__(self, adapter: LLMAdapter) -> None:
        self._adapter = adapter

    def supports_streaming(self) -> bool:
        return self._adapter.supports_streaming()

    def supports_schema(self) -> bool:
        return self._adapter.supports_schema()

    def count_tokens(self, request: LLMRequest) -> TokenCounts | None:
        return self._adapter.count_tokens(request)

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        return self._adapter.complete(request, on_text)


def prompt_with_history(request: LLMRequest) -> str:
    """Returns the prompt, after the earlier messages of its conversation, for models that take one text."""
    if not request.history:
        return request.prompt
    names = {"user": "User", "assistant": "Assistant"}
    earlier = "\n\n".join(f"{names[message.role]}: {message.text}" for message in request.history)
    return f"{earlier}\n\nUser: {request.prompt}"


def refuse_images(request: LLMRequest, name: str) -> None:
    """Raises LLMError if the request has images, for an adapter whose model does not see."""
    if request.images:
        raise LLMError(
            f"{name} cannot see images.", next_step="Use a model that can: --model URL of one, or a Claude or GPT name."
        )


def call_model(adapter: LLMAdapter, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
    """Returns a copy of the adapter's response. Anything else it returns or raises becomes an LLMError (core 7).

    `retryable` in the error's details is False for a fault of the adapter itself.
    """
    own = request if request.schema is None else replace(request, schema=copy_json(request.schema))
    try:
        return _checked(adapter.complete(own, on_text))
    except Exception as error:
        if isinstance(error, LLMError) and is_recordable(error):
            raise
        next_step = error.next if isinstance(error, AeonError) and is_recordable(error) else ""
        raise LLMError(
            f"The LLM adapter failed: {exception_message(error)}", next_step=next_step, retryable=_may_pass(error)
        ) from error


def _may_pass(error: Exception) -> bool:
    """Whether a retry may help after an error that is no LLMError; not after a mistake in the adapter's own code."""
    if isinstance(error, AeonError):
        return error.may_pass if is_recordable(error) else error.is_retryable
    return isinstance(error, (ConnectionError, TimeoutError))


def _checked(reply: object) -> LLMResponse:
    """Returns a copy of the response of `complete`. Raises LLMError if the log cannot keep it."""
    if not isinstance(reply, LLMResponse):
        raise LLMError(
            f"The LLM adapter returned {type(reply).__name__}, not an LLMResponse.",
            next_step="complete() must return an LLMResponse.",
            retryable=False,
        )
    usage = cast(Json, reply.usage)
    problems = [] if isinstance(cast(Json, reply.text), str) else ["its text is not a string"]
    problems += [
        f"its {name} is not a string"
        for name in ("finish_reason", "model", "request_id")
        if not isinstance(getattr(reply, name), str | None)
    ]
    unsure = cast(object, reply.unsure)
    if not isinstance(unsure, tuple) or not all(_is_unsure_token(each) for each in cast("tuple[object, ...]", unsure)):
        problems += ["its unsure tokens are not UnsureToken"]
    if usage is not None:
        not_json = json_problems(usage) if isinstance(usage, dict) else [f"{type(usage).__name__} is not an object"]
        problems += [f"its usage is not JSON ({problem})" for problem in not_json[:5]]
    if problems:
        raise LLMError(
            f"The LLM adapter returned an invalid response: {'; '.join(problems)}.",
            next_step="Correct the adapter; usage is an object of JSON numbers.",
            retryable=False,
        )
    copied = copy_json(usage or {})
    return LLMResponse(reply.text, reply.finish_reason, copied, reply.model, reply.request_id, reply.unsure)


def _is_unsure_token(value: object) -> bool:
    """Whether a value has a place, a text and a probability, as an `UnsureToken` or a list of JSON."""
    parts: list[Any] = [*cast("list[Any]", value)] if isinstance(value, (list, tuple)) else []
    if len(parts) != len(UnsureToken._fields) or any(isinstance(each, bool) for each in parts):
        return False
    at, text, probability = parts
    has_kinds = isinstance(at, int) and isinstance(text, str) and isinstance(probability, int | float)
    return has_kinds and at >= 0 and 0 <= probability <= 1


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
