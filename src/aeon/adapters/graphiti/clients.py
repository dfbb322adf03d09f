"""Graphiti's ports to models, on Aeon's: nothing of Graphiti's own reaches a network."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig, ModelSize
from graphiti_core.prompts.models import Message
from pydantic import BaseModel

from aeon.base.errors import LLMError
from aeon.base.json import JsonObject
from aeon.base.json_schema import compile_schema
from aeon.llm.interface import LLMAdapter, LLMRequest, call_model
from aeon.platform.embedder import Embedder
from aeon.platform.knowledge.embedding_backlog import text_parts
from aeon.validation.recovery import RecoveredValue, recover

_MAX_TOKENS: Final = 4096
_NO_WORDS: Final = "-"
"""What is embedded in place of an empty text."""


class AeonLLMClient(LLMClient):
    """Asks Aeon's own model. An answer that does not match is an LLMError, which Graphiti does not repeat."""

    def __init__(self, model: Callable[[], LLMAdapter]) -> None:
        """`model` returns the model; it is opened by the first request."""
        super().__init__(LLMConfig(max_tokens=_MAX_TOKENS))
        self._adapter = model

    async def _generate_response(
        self,
        messages: list[Message],
        response_model: type[BaseModel] | None = None,
        max_tokens: int = _MAX_TOKENS,
        model_size: ModelSize = ModelSize.medium,  # noqa: ARG002  # one model
        *,
        model: str | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        asked = LLMRequest(
            "\n\n".join(each.content for each in messages if each.role != "system"),
            "\n\n".join(each.content for each in messages if each.role == "system") or None,
            min(max_tokens, _MAX_TOKENS),
            0.0,
            {"type": "object"} if response_model is None else response_model.model_json_schema(),
        )
        return await asyncio.to_thread(self._answer, asked)

    def _answer(self, request: LLMRequest) -> JsonObject:
        reply = call_model(self._adapter(), request)
        found = recover(
            reply.text,
            compile_schema(request.schema or {}),
            is_truncated=reply.is_truncated,
            has_stopped=reply.finish_reason == "stop",
        )
        if not isinstance(found, RecoveredValue):
            raise LLMError("The model's answer is not what Graphiti asked for.", next_step="Use a stronger model.")
        return cast(JsonObject, found.value)


class AeonEmbedderClient(EmbedderClient):
    """Embeds by a model of Aeon's. Of a text that is too long for it, the beginning counts."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def create(self, input_data: str | list[str] | Iterable[int] | Iterable[Iterable[int]]) -> list[float]:
        """Returns the vector of a text, or of the first one of a list."""
        text = input_data if isinstance(input_data, str) else next(iter(input_data), "")
        (vector,) = await self.create_batch([str(text)])
        return vector

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """Returns the vectors of texts."""
        return await asyncio.to_thread(self._embed, input_data_list)

    def _embed(self, texts: list[str]) -> list[list[float]]:
        return self._embedder.embed([self._beginning(text) for text in texts]).vectors if texts else []

    def _beginning(self, text: str) -> str:
        parts = text_parts(self._embedder, text)
        return parts[0].of(text) if parts else _NO_WORDS


class KeptOrder(CrossEncoderClient):
    """Ranks nothing: no model is asked, and passages keep their order."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:  # noqa: ARG002
        """Returns the passages as they are, the first with the highest score."""
        return [(passage, 1.0 / place) for place, passage in enumerate(passages, 1)]
