"""The records of a run: tool calls, repairs and log entries (core-data-model, FR-037 to FR-039)."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from aeon.base.json import JsonObject, copy_json


def _instant(text: str) -> str:
    datetime.fromisoformat(text)
    return text


Timestamp = Annotated[
    str, Field(description="ISO 8601, UTC", pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), AfterValidator(_instant)
]
"""An instant as text: written, compared and replayed byte for byte, never used in calculations."""

ActionType = Literal["json_repair", "tool_call_repair", "plan_repair", "missing_tool_repair"]
"""The kinds of repair; core 10 adds the last one."""


class ToolCall(BaseModel):
    """One invocation of a tool: `result` if it succeeded, else `error`."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    tool_name: str
    arguments: JsonObject
    result: JsonObject | None = None
    error: JsonObject | None = None
    timestamp: Timestamp
    step_id: str

    @model_validator(mode="after")
    def _has_one_outcome(self) -> "ToolCall":
        if (self.result is None) == (self.error is None):
            raise ValueError("a tool call has either a result or an error")
        return self

    def snapshot(self) -> "ToolCall":
        """An independent copy."""
        return self.model_copy(
            update={
                "arguments": copy_json(self.arguments),
                "result": copy_json(self.result),
                "error": copy_json(self.error),
            }
        )

    def as_dict(self) -> JsonObject:
        """The call as JSON, without the absent outcome."""
        outcome = {"result": self.result} if self.error is None else {"error": self.error}
        return {
            "tool_name": self.tool_name,
            "arguments": self.arguments,
            **outcome,
            "timestamp": self.timestamp,
            "step_id": self.step_id,
        }


class SupervisorAction(BaseModel):
    """One repair, or an attempt at one (core 10). `model_output` is the raw reply, None for a deterministic repair."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    action_type: ActionType
    original_output: JsonObject
    repaired_output: JsonObject | None = None
    error: JsonObject | None = None
    attempt_number: int = Field(ge=1, le=2)
    timestamp: Timestamp
    stages: list[str] = Field(default_factory=list[str], description="deterministic stages that were applied")
    model_output: JsonObject | None = None

    @model_validator(mode="after")
    def _has_one_outcome(self) -> "SupervisorAction":
        if (self.repaired_output is None) == (self.error is None):
            raise ValueError("a repair has either a repaired output or an error")
        return self

    def snapshot(self) -> "SupervisorAction":
        """An independent copy."""
        return SupervisorAction.model_validate(self.model_dump())

    def as_dict(self) -> JsonObject:
        """The action as JSON, without the empty fields."""
        return self.model_dump(exclude_none=True)


class LogEntry(BaseModel):
    """One orchestration cycle, as one line of the log (core 12)."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    step_number: int = Field(ge=1, description="1 is the planning cycle; each step visited adds one")
    plan_state: JsonObject = Field(description="the plan at the cycle's start; `partial` if it holds only the changes")
    llm_output: JsonObject = Field(description="the raw reply of the cycle's model request, {} without one")
    supervisor_actions: list[SupervisorAction]
    tool_calls: list[ToolCall]
    ttl_remaining: int = Field(ge=0, description="cycles left when the cycle ended")
    errors: list[JsonObject]
    timestamp: Timestamp = Field(description="when the cycle began")
    finished_at: Timestamp = Field(description="when the cycle ended")
    outcome: JsonObject | None = Field(None, description="the outcome of the step: id, status, mode, result or error")
    run: JsonObject | None = Field(None, description="entry 1: the request, the tools and the limits of the run")
    resumed: JsonObject | None = Field(None, description="first entry after a resume: its new TTL")
    prev: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the previous line; 64 zeros in entry 1")
