"""Requests of chat programs: what is supported is read, all else is refused and not ignored. Pure."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from aeon.application.chats import ChatInputs
from aeon.base.json import Json, JsonObject
from aeon.server.edge.problems import HttpError

_MAX_TEXT: Final = 1_000_000

_IMAGES: Final = ("image_url", "input_image", "image")
"""The types by which clients send images."""


class _Given(BaseModel):
    """Fields of a client: a field that is null counts as left out."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Json) -> Json:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in cast(JsonObject, given).items() if value is not None}


class TextPart(BaseModel):
    """A part of a message's content."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["text"]
    text: str


class Message(_Given):
    """A message of the chat."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]
    name: str | None = None

    @field_validator("content", mode="before")
    @classmethod
    def _has_no_image(cls, content: Json) -> Json:
        parts = cast("list[Json]", content) if isinstance(content, list) else []
        if any(isinstance(part, dict) and cast(JsonObject, part).get("type") in _IMAGES for part in parts):
            raise PydanticCustomError("image", "Images are not supported here; send text")
        return cast(Json, content)

    @property
    def text(self) -> str:
        """Its whole text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content)


class StreamOptions(_Given):
    """How a stream is sent."""

    model_config = ConfigDict(extra="forbid")

    include_usage: bool = False


class ModelRequest(_Given):
    """A request for a model by its name; it keeps the parameters that are not known here, to name them."""

    model_config = ConfigDict(extra="allow")

    neutral: ClassVar[Mapping[str, list[Json]]] = {}
    """Parameters that are not known here, with the values that change nothing."""

    model: str = Field(min_length=1, max_length=400)
    user: str | None = None

    def require_supported(self) -> None:
        """Raises HttpError for a parameter that would change the answer and cannot be kept."""
        unknown = self.__pydantic_extra__ or {}
        unsupported = sorted(name for name, value in unknown.items() if value not in self.neutral.get(name, []))
        if unsupported:
            raise HttpError(400, f"Not supported here: {', '.join(unsupported)}.", next_step="Leave them out.")


class ChatRequest(ModelRequest):
    """A request for a completion. `model` is the name of a Process."""

    neutral = {
        "response_format": [{"type": "text"}],
        "tools": [[]],
        "tool_choice": ["none", "auto"],
        "top_p": [1],
        "presence_penalty": [0],
        "frequency_penalty": [0],
        "logit_bias": [{}],
        "logprobs": [False],
    }

    messages: list[Message] = Field(min_length=1, max_length=10_000)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] = 1
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    metadata: dict[str, Any] | None = None
    store: bool | None = None

    def chat(self) -> ChatInputs:
        """What is to be answered. Raises HttpError if the last message is not the user's."""
        system = "\n\n".join(each.text for each in self.messages if each.role in ("system", "developer"))
        turns = [each for each in self.messages if each.role in ("user", "assistant")]
        if not turns or turns[-1].role != "user" or not turns[-1].text.strip():
            raise HttpError(400, "The last message is not one of the user with a text.")
        if sum(len(each.text) for each in self.messages) > _MAX_TEXT:
            raise HttpError(413, f"The messages have more than {_MAX_TEXT:,} characters.")
        earlier: list[JsonObject] = [{"role": each.role, "content": each.text} for each in turns[:-1]]
        return ChatInputs(turns[-1].text, earlier, system, self._limits)

    @property
    def _limits(self) -> JsonObject:
        most = self.max_completion_tokens or self.max_tokens
        given: JsonObject = {"maxTokens": most, "temperature": self.temperature}
        return {name: value for name, value in given.items() if value is not None}
