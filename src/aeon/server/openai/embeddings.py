"""POST /v1/embeddings: texts to vectors, by the embedding model of the settings."""

import base64
import json
import struct
from typing import Annotated, Final, Literal, cast

from anyio import CapacityLimiter
from fastapi import Depends, Request
from fastapi.responses import Response
from pydantic import Field, field_validator

from aeon.application.embeddings import EmbeddedTexts, EmbeddingService, Vector
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.base.json import Json, JsonObject
from aeon.server.auth.caller import WithToken
from aeon.server.edge.problems import HttpError
from aeon.server.edge.state import ServerState
from aeon.server.openai.messages import ModelRequest

_ANY_MODEL: Final = "embeddings"
"""A name for the model of the settings, for programs that cannot know which it is."""

_MAX_TEXTS: Final = 2048
_BATCH: Final = 64
"""Texts that are embedded before other requests have a turn."""

_AT_ONCE: Final = 2
"""Batches of all requests that are counted or embedded at once; more wait."""


class EmbeddingRequest(ModelRequest):
    """A request for vectors. `model` is the name of the embedding model, or `embeddings`."""

    input: str | Annotated[list[str], Field(min_length=1, max_length=_MAX_TEXTS)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None

    @field_validator("input", mode="before")
    @classmethod
    def _has_no_token_ids(cls, value: Json) -> Json:
        given = cast("list[Json]", value) if isinstance(value, list) else [value]
        if any(isinstance(item, int | list) for item in given):
            raise ValueError("token ids are not taken, since they mean other words to another model; send texts")
        return cast(Json, value)

    @property
    def texts(self) -> list[str]:
        """The texts, in order."""
        return [self.input] if isinstance(self.input, str) else self.input


def embedding_turns() -> CapacityLimiter:
    """Return what lets few batches be embedded at once, so that requests do not take every core."""
    return CapacityLimiter(_AT_ONCE)


async def _turns(request: Request) -> CapacityLimiter:
    return cast(CapacityLimiter, request.app.state.embedding_turns)


async def embed(
    asked: EmbeddingRequest, caller: WithToken, turns: Annotated[CapacityLimiter, Depends(_turns)]
) -> Response:
    """Embed texts. A text that is longer than the model takes is refused, not cut."""
    asked.require_supported()
    state = caller.state
    service = await state.call(lambda: _opened(state))
    async with turns:  # long texts take seconds to count
        await state.call(lambda: _require_answerable(asked, service))
    items: list[JsonObject] = []
    tokens = 0
    for start in range(0, len(asked.texts), _BATCH):
        batch = asked.texts[start : start + _BATCH]
        async with turns:
            if state.stopping.is_set():
                raise HttpError(503, "The server stops.")
            found = await state.call(lambda batch=batch: service.embed(batch))
        items += _items(found, start, asked.encoding_format)
        tokens += found.tokens
    usage: JsonObject = {"prompt_tokens": tokens, "total_tokens": tokens}
    answer: JsonObject = {"object": "list", "data": items, "model": service.model, "usage": usage}
    return Response(await state.call(lambda: json.dumps(answer, separators=(",", ":"))), media_type="application/json")


def _opened(state: ServerState) -> EmbeddingService:
    """Raises HttpError without an embedding model; what is wrong in the settings is not for every caller."""
    try:
        return state.embeddings()
    except MissingExtraError as error:
        raise HttpError(501, error.message, next_step=error.advice) from None
    except ConfigError:
        raise HttpError(
            501,
            "No embedding model can be used here: the settings of the server are not complete.",
            next_step="Ask the person who runs it: `aeon doctor` says why.",
        ) from None


def _require_answerable(asked: EmbeddingRequest, service: EmbeddingService) -> None:
    """Raises HttpError for another model or size of vectors, EmbeddingInputError for texts that cannot be embedded."""
    if asked.model not in {service.model, _ANY_MODEL}:
        raise HttpError(
            404,
            f"No embedding model {asked.model!r} is here.",
            next_step=f"Name {service.model}, or {_ANY_MODEL} for the one that is configured.",
        )
    service.check(asked.texts)
    if asked.dimensions is not None and asked.dimensions != service.dimensions:
        raise HttpError(
            400,
            f"The vectors of {service.model} have {service.dimensions} dimensions, not {asked.dimensions}.",
            next_step="Leave `dimensions` out.",
        )


def _items(found: EmbeddedTexts, first: int, encoding: str) -> list[JsonObject]:
    return [
        {"object": "embedding", "index": first + number, "embedding": _encoded(vector, encoding)}
        for number, vector in enumerate(found.vectors)
    ]


def _encoded(vector: Vector, encoding: str) -> Json:
    """Returns the numbers, or as OpenAI's clients ask for them: base64 of 32-bit floats, the low byte first."""
    return vector if encoding == "float" else base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
