"""`Plan` and `PlanStep`: the declarative data that a run executes (core-data-model, FR-007, FR-009)."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from aeon.base.errors import ExecutionError
from aeon.base.json import JsonObject, copy_json

NonBlankText = Annotated[str, StringConstraints(pattern=r"\S")]
"""A string with at least one character that is not white space."""


class StepStatus(StrEnum):
    """The status of a step. It only moves forward."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"


_NEXT = {
    StepStatus.PENDING: (StepStatus.RUNNING,),
    StepStatus.RUNNING: (StepStatus.COMPLETE, StepStatus.FAILED),
    StepStatus.COMPLETE: (),
    StepStatus.FAILED: (),
}


class PlanStep(BaseModel):
    """One step. `tool` wins over `agent`; `arguments` may refer to earlier results (core 1, core 3)."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    step_id: NonBlankText
    description: NonBlankText
    status: StepStatus = StepStatus.PENDING
    tool: NonBlankText | None = None
    agent: Literal["llm"] | None = None
    arguments: JsonObject | None = None
    errors: list[str] = Field(default_factory=list[str])

    def advance(self, status: StepStatus) -> None:
        """Moves to `status`; errors are cleared when the step ends. Raises ExecutionError for a backward move."""
        if status not in _NEXT[self.status]:
            raise ExecutionError(f"Step {self.step_id!r} cannot go from {self.status} to {status}.")
        self.status = status
        if status is not StepStatus.RUNNING:
            self.errors = []

    def snapshot(self) -> "PlanStep":
        """An independent copy."""
        return self.model_copy(update={"arguments": copy_json(self.arguments), "errors": list(self.errors)})

    def as_dict(self) -> JsonObject:
        """The step as JSON, without the empty fields."""
        fields: JsonObject = {"step_id": self.step_id, "description": self.description, "status": self.status.value}
        if self.tool is not None:
            fields["tool"] = self.tool
        if self.agent is not None:
            fields["agent"] = self.agent
        if self.arguments is not None:
            fields["arguments"] = copy_json(self.arguments)
        if self.errors:
            fields["errors"] = list(self.errors)
        return fields


class Plan(BaseModel):
    """A goal and its steps, in the order in which they run (FR-052)."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    goal: NonBlankText
    steps: list[PlanStep] = Field(min_length=1)

    @field_validator("steps")
    @classmethod
    def _ids_are_unique(cls, steps: list[PlanStep]) -> list[PlanStep]:
        seen: set[str] = set()
        duplicates = sorted({step.step_id for step in steps if step.step_id in seen or seen.add(step.step_id)})
        if duplicates:
            raise ValueError(f"step_id must be unique; these appear twice: {', '.join(duplicates)}")
        return steps

    def snapshot(self) -> "Plan":
        """An independent copy."""
        return self.model_copy(update={"steps": [step.snapshot() for step in self.steps]})

    def as_dict(self) -> JsonObject:
        """The plan as JSON."""
        return {"goal": self.goal, "steps": [step.as_dict() for step in self.steps]}
