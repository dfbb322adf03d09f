"""`aeon config schema`: prints the JSON schemas of all entities."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from aeon.application.process_schema import DIALECT, document_schema
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.base.suggestions import closest_name
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as
from aeon.cli.text import indented_json
from aeon.kernel.state import OrchestrationState
from aeon.observability.records import LogEntry, SupervisorAction, ToolCall
from aeon.plan.models import Plan, PlanStep
from aeon.platform.catalog.model import NewService
from aeon.skills.discovery.manifest import Manifest
from aeon.skills.plan_json import ExecutionResult, PlanJson

_Text = Annotated[str, StringConstraints(pattern=r"\S")]


class ToolSchema(BaseModel):
    """A capability that plans can name, as `aeon tool show NAME --json` and prompts show it."""

    model_config = ConfigDict(extra="forbid", title="Tool")

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


_CORE = (Plan, PlanStep, OrchestrationState, ToolSchema, ToolCall, MemoryEntry, SupervisorAction, LogEntry)

ENTITIES: Mapping[str, type[BaseModel]] = {
    **{model.model_config.get("title") or model.__name__: model for model in _CORE},
    "PlanJson": PlanJson,
    "ExecutionResult": ExecutionResult,
    "SkillManifest": Manifest,
    "Service": NewService,
}
"""The entities of the data models, by name, besides the Process, whose documents differ from its model."""

NAMES = (*ENTITIES, "Process")


def show_schema(name: str | None, *, output: OutputFormat) -> int:
    """Print the schema of the entity `name`, ignoring case and hyphens; all names if `name` is None."""
    if name is None:
        if not print_as(output, list[Json](NAMES)):
            print_data("\n".join(NAMES))
    elif not print_as(output, cast(Json, schema_of(name)), key="title"):
        print_data(indented_json(schema_of(name)))
    return ExitCode.DONE


def schema_of(name: str) -> dict[str, object]:
    """Return the schema of an entity. Raises InputError for an unknown name, and suggests the nearest one."""
    by_normalized_name = {_normalized(known): known for known in NAMES}
    entity = by_normalized_name.get(_normalized(name))
    if entity is None:
        nearest = closest_name(_normalized(name), by_normalized_name)
        suggestion = f" Did you mean {by_normalized_name[nearest]}?" if nearest else ""
        raise InputError(f"There is no entity {name!r}.{suggestion}", next_step=f"Choose one of {', '.join(NAMES)}.")
    if entity == "Process":
        return dict(document_schema())
    return {"$schema": DIALECT, **ENTITIES[entity].model_json_schema()}


def _normalized(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
