"""The port to a language model: what is asked, what comes back, what an adapter must and may do."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Optional, TypeAlias, cast  # noqa: UP035  # the published signature

from aeon.base.errors import LLMError, exception_message, is_recordable
from aeon.base.json import Json, JsonObject, copy_json, json_problems

TextSink: TypeAlias = Callable[[str], None]
"""Receives each piece of text as the model makes it."""


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """One question to a model. `schema` is a JSON Schema for the answer; `max_tokens` counts output tokens."""

    prompt: str
    system_prompt: str | None = None
    max_tokens: int = 2048
    temperature: float = 0.7
    schema: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """One answer. `finish_reason` is "stop", "length" (cut off by `max_tokens`), "refusal", or None when not said."""

    text: str
    finish_reason: str | None = None
    usage: JsonObject = field(default_factory=dict[str, Any])
    model: str | None = None
    request_id: str | None = None

    @property
    def is_truncated(self) -> bool:
        """Whether the token limit cut the text off (core 9)."""
        return self.finish_reason == "length"

    def as_dict(self) -> JsonObject:
        """The reply as `LLMAdapter.generate` returns it and the log keeps it."""
        return {
            "text": self.text,
            "finish_reason": self.finish_reason,
            "usage": deepcopy(self.usage),
            "model": self.model,
            "request_id": self.request_id,
        }

    @classmethod
    def from_dict(cls, raw: JsonObject) -> "LLMResponse":
        """Read what an adapter's `generate` returned. Raises LLMError without a `text`."""
        text = raw.get("text") if isinstance(raw, dict) else None  # pyright: ignore[reportUnnecessaryIsInstance]  # adapters are other people's code
        if not isinstance(text, str):
            raise LLMError(
                "The LLM adapter returned no text.", next_step='generate() must return a dict with a "text" string.'
            )
        return cls(
            text=text,
            finish_reason=_text_or_none(raw.get("finish_reason")),
            usage=cast(JsonObject, raw.get("usage") or {}),
            model=_text_or_none(raw.get("model")),
            request_id=_text_or_none(raw.get("request_id")),
        )


class LLMAdapter(ABC):
    """A language model. The two abstract methods are all an adapter must have; the others say what more it can do."""

    @abstractmethod
    def generate(
        self,
        prompt: str,
        system_prompt: Optional[str] = None,  # noqa: UP045  # the published signature
        max_tokens: int = 2048,
        temperature: float = 0.7,
    ) -> Dict[str, Any]:  # noqa: UP006  # the published signature
        """Answer `prompt`: a dict with "text" and, where known, "finish_reason", "usage", "model", "request_id".

        Retries inside, three attempts (FR-048, core 8). Raises LLMError when they are used up.
        """

    @abstractmethod
    def supports_streaming(self) -> bool:
        """Whether `complete` hands out text while it is being made."""

    def supports_schema(self) -> bool:
        """Whether `complete` constrains decoding to `Request.schema` (core 11). Output is validated all the same."""
        return False

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """Answer `request`, passing text to `on_text` as it comes.

        This default serves adapters that know only `generate`: the schema is not enforced and the text comes at once.
        """
        reply = LLMResponse.from_dict(
            self.generate(request.prompt, request.system_prompt, request.max_tokens, request.temperature)
        )
        if on_text is not None:
            on_text(reply.text)
        return reply


class RequestAdapter(LLMAdapter):
    """An adapter whose own method is `complete`; the published `generate` goes through it."""

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
        """Answer `request`, passing text to `on_text` as it comes."""


def call_model(adapter: LLMAdapter, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
    """The adapter's answer, a copy; whatever else an adapter returns or raises, callers see an LLMError (core 7)."""
    own = request if request.schema is None else replace(request, schema=copy_json(request.schema))
    try:
        return _checked(adapter.complete(own, on_text))
    except Exception as error:
        if isinstance(error, LLMError) and is_recordable(error):
            raise
        raise LLMError(f"The LLM adapter failed: {exception_message(error)}") from error


def _checked(reply: object) -> LLMResponse:
    """A copy of what an adapter's `complete` returned. Raises LLMError for what is no reply that a log can keep."""
    if not isinstance(reply, LLMResponse):
        raise LLMError(
            f"The LLM adapter returned {type(reply).__name__}, not a Reply.",
            next_step="complete() must return a Reply.",
        )
    usage = cast(Json, reply.usage)
    wrong = [] if isinstance(cast(Json, reply.text), str) else ["its text is no string"]
    wrong += [
        f"its {name} is no string"
        for name in ("finish_reason", "model", "request_id")
        if not isinstance(getattr(reply, name), str | None)
    ]
    if usage is not None:
        unkept = json_problems(usage) if isinstance(usage, dict) else [f"{type(usage).__name__} is no object"]
        wrong += [f"its usage is not JSON ({fault})" for fault in unkept[:5]]
    if wrong:
        raise LLMError(
            f"The LLM adapter returned a reply that cannot be kept: {'; '.join(wrong)}.",
            next_step="Correct the adapter; usage is an object of JSON numbers.",
        )
    return LLMResponse(reply.text, reply.finish_reason, copy_json(usage or {}), reply.model, reply.request_id)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
