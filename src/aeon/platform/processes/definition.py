"""What a Process says: its steps in order, their inputs, conditions and limits. Saved, it is known by its content."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from aeon.base.json import Json, canonical_json
from aeon.platform.records import Description, Name, Record

VariableName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""The name of an input of a Process, of a step, or of what a step gives. `step` names no input."""

MAX_STEP_SECONDS = 300
"""Of one step (platform 7)."""

MAX_RECURSION_DEPTH = 10
"""Processes that call each other, at most (platform 7)."""


class StepOutput(Record):
    """What a step's result is called by later steps, and whether the Process can do without it (platform 8)."""

    variable: VariableName
    token_budget: int | None = Field(default=None, ge=1)
    required: bool = True


class StepExecution(Record):
    """When a step runs, for how long, and whether a person carries it out.

    A sequential step waits for all that stand before it; a parallel one for the last sequential one before it. Both
    wait for what they depend on (platform 7). A manual step asks, and the answer is its result (platform 9).
    """

    mode: Literal["sequential", "parallel"] = "sequential"
    condition: str | None = Field(default=None, min_length=1, max_length=4000, description="CEL; false skips the step")
    timeout: int = Field(default=60, ge=1, le=MAX_STEP_SECONDS, description="seconds")
    interaction_mode: Literal["auto", "manual"] = "auto"


class ProcessStep(Record):
    """One unit of work: one call of a tool or of another Process, by id."""

    id: VariableName
    tool: str | None = Field(default=None, description="the id of the tool that it calls")
    process: str | None = Field(default=None, description="the id of the process that it calls")
    inputs: dict[VariableName, Json] = Field(
        default={}, description="by parameter; `{name}` and `{step.variable.path}` are references (platform 6)"
    )
    depends_on: list[VariableName] = Field(default=[], description="ids of steps before this one")
    output: StepOutput
    execution: StepExecution = StepExecution()


class ProcessDefinition(Record):
    """A whole Process as its owner wrote it. Two with the same `digest` are the same; a run is pinned to one."""

    name: Name
    description: Description = ""
    initial_context: list[VariableName] = Field(default=[], max_length=200, description="inputs, all of them needed")
    steps: list[ProcessStep] = Field(min_length=1, max_length=10_000)
    output_template: str = Field(
        default="", max_length=100_000, description="Handlebars; empty: the last step's result"
    )
    token_budget: int | None = Field(default=None, ge=1)
    max_recursion_depth: int = Field(default=3, ge=1, le=MAX_RECURSION_DEPTH)
    enabled: bool = True

    @property
    def digest(self) -> str:
        """SHA-256 of all that decides what a run does: not the name, the description or whether it is enabled."""
        said = {key: value for key, value in self.as_dict().items() if key not in ("name", "description", "enabled")}
        return hashlib.sha256(canonical_json(said).encode()).hexdigest()
