"""`OrchestrationState`: the complete state of a run, and its restoration from a log (FR-011, FR-012)."""

from collections.abc import Callable
from typing import Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field

from aeon.base.errors import LogError
from aeon.base.json import Json, JsonObject, copy_json
from aeon.observability.log import LogHistory
from aeon.observability.records import SupervisorAction, ToolCall
from aeon.plan.models import Plan, PlanStep, StepStatus
from aeon.tools.said_results import say_result

LOG_FORMAT = 2
"""Version of the log's entries."""

RunStatus = Literal["completed", "failed", "ttl_expired"]

CancellationCheck: TypeAlias = Callable[[], bool]
"""Called before each step; true stops the run there."""

OnMissingTool = Literal["fallback", "fail"]
"""The treatment of a step for which no tool is found: the model answers instead, or the step fails (core 17)."""


class RunPolicy(BaseModel):
    """The permissions of the model in a run; the log keeps them for resume and replay."""

    model_config = ConfigDict(extra="forbid", defer_build=True, frozen=True)

    is_supplied: bool = Field(default=False, description="whether the plan was supplied, not made by the model")
    repair: bool = Field(default=True, description="whether the model may replace arguments that do not fit")
    on_missing_tool: OnMissingTool = Field(default="fallback", description="the treatment of a step without a tool")


class OrchestrationState(BaseModel):
    """The state of one run. The three histories are append-only."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    plan: Plan
    current_step_id: str | None = None
    tool_history: list[ToolCall] = Field(default_factory=list[ToolCall])
    llm_outputs: list[JsonObject] = Field(default_factory=list[JsonObject], description="raw replies, in order")
    supervisor_actions: list[SupervisorAction] = Field(default_factory=list[SupervisorAction])
    ttl_remaining: int = Field(ge=0, description="steps that may still be visited")
    request: str = ""
    policy: RunPolicy = Field(default_factory=RunPolicy)
    earlier: tuple[str, ...] = Field(default=(), description="messages of the conversation that the request continues")
    results: dict[str, Json] = Field(default_factory=dict[str, Json], description="results of complete steps, by id")
    errors: list[JsonObject] = Field(default_factory=list[JsonObject], description="errors, in order")
    marks: dict[str, list[str]] = Field(
        default_factory=dict[str, list[str]], description="annotations beside a step's status, by id (core 17)"
    )

    def snapshot(self) -> "OrchestrationState":
        """Returns an independent copy."""
        copies: JsonObject = {
            "plan": self.plan.snapshot(),
            "tool_history": [call.snapshot() for call in self.tool_history],
            "supervisor_actions": [action.snapshot() for action in self.supervisor_actions],
            **{name: copy_json(getattr(self, name)) for name in ("llm_outputs", "results", "errors", "marks")},
        }
        return self.model_copy(update=copies)

    def failures(self) -> dict[str, str]:
        """The last error of each failed step, by id: the error that ended it."""
        failed = {step.step_id for step in self.plan.steps if step.status is StepStatus.FAILED}
        return {
            error["step_id"]: f"{error['message']} {error.get('next_step', '')}".strip()
            for error in self.errors
            if error.get("step_id") in failed
        }

    def stop_error(self, *, is_cancelled: bool = False) -> JsonObject | None:
        """The error of a run whose TTL expired (core 5) or that was cancelled; None for others.

        It has the number of steps left.
        """
        if self.ttl_remaining and not is_cancelled:
            return None
        left = sum(step.status is StepStatus.PENDING for step in self.plan.steps)
        ending = f"with {left} of {len(self.plan.steps)} steps left."
        if is_cancelled:
            resuming: JsonObject = {"next_step": "Continue with `aeon log resume LOG`.", "steps_left": left}
            return {"type": "RunCancelled", "message": f"The run was cancelled {ending}", **resuming}
        return {
            "type": "TTLExpired",
            "message": f"TTL expired {ending}",
            "next_step": "Continue with `aeon log resume LOG`, or run again with a higher ttl.",
            "steps_left": left,
        }

    def answer(self) -> str | None:
        """The last step's result as text; None without one, so that a partial result never counts as the answer."""
        last = self.plan.steps[-1]
        return say_result(last.tool, self.results[last.step_id], self.request) if last.step_id in self.results else None


def run_header(history: LogHistory) -> JsonObject:
    """The run's data in entry 1: request, ttl, policy, tools. Raises LogError if it is missing or of another format."""
    run = history.entries[0].get("run")
    if not run:
        raise LogError(f"The log {history.path} does not describe its run.", next_step="Start the run again.")
    if run["format"] != LOG_FORMAT:
        raise LogError(
            f"The log {history.path} has format {run['format']}; this Aeon reads {LOG_FORMAT}.",
            next_step="Start the run again, or read the log with the version of Aeon that wrote it.",
        )
    return cast(JsonObject, run)


def restore_state(history: LogHistory) -> OrchestrationState:
    """Restores the state after the last whole entry. Raises LogError if the run never had a plan."""
    last = history.entries[-1]
    run = run_header(history)
    plan_state = history.plan_at(len(history.entries))
    if not plan_state.get("steps"):
        raise LogError(f"The run in {history.path} ended without a plan.", next_step="Start the run again.")
    state = OrchestrationState(
        plan=Plan.model_validate(plan_state),
        ttl_remaining=last["ttl_remaining"],
        request=run["request"],
        policy=RunPolicy.model_validate(run["policy"]),
    )
    for entry in history.entries:
        _take(state, entry)
    return state


def step_result(entry: JsonObject) -> JsonObject | None:
    """The result of the step that `entry` visited; None if it failed or no step was visited."""
    outcome = entry.get("outcome")
    if not outcome or "error" in outcome:
        return None
    if outcome["mode"] == "tool":
        return cast(JsonObject, entry["tool_calls"][-1]["result"])
    return {"text": entry["llm_output"]["text"].strip()}


def _take(state: OrchestrationState, entry: JsonObject) -> None:
    if entry["llm_output"]:
        state.llm_outputs.append(entry["llm_output"])
    state.errors.extend(entry["errors"])
    state.tool_history.extend(ToolCall.model_validate(call) for call in entry["tool_calls"])
    state.supervisor_actions.extend(SupervisorAction.model_validate(action) for action in entry["supervisor_actions"])
    if "outcome" not in entry:
        return
    step = PlanStep.model_validate(entry["outcome"]["step"])
    if marks := entry["outcome"].get("marks"):
        state.marks[step.step_id] = marks
    position = next(index for index, known in enumerate(state.plan.steps) if known.step_id == step.step_id)
    state.plan.steps[position] = step
    result = step_result(entry)
    if step.status is StepStatus.COMPLETE and result is not None:
        state.results[step.step_id] = result
