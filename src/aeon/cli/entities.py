"""The two entities of the data model that exist as interfaces, not as models: their shape as data."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from aeon.base.json import Json, JsonObject

_Text = Annotated[str, StringConstraints(pattern=r"\S")]


class ToolSchema(BaseModel):
    """A capability that plans can name, as `aeon tools list --json` and prompts show it."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, StringConstraints(pattern=r"^\S{1,128}$")]
    description: _Text
    input_schema: JsonObject = Field(description="JSON Schema of the arguments")
    output_schema: JsonObject = Field(description="JSON Schema of the result")
    offered_schema: JsonObject | None = Field(default=None, description="the narrower schema that a model is offered")
    example: dict[str, Any] | None = Field(default=None, description="arguments of a typical call")


class MemoryEntry(BaseModel):
    """A value under a key in the memory. A step's result is under `step/<step_id>`."""

    model_config = ConfigDict(extra="forbid")

    key: Annotated[str, StringConstraints(min_length=1)]
    value: Json = Field(description="any JSON value")
    metadata: JsonObject | None = Field(default=None, description="whatever a store adds; the shipped ones add nothing")
