"""The state of a run, restored from its log (core 13)."""

from typing import cast

from aeon.base.errors import LogError
from aeon.base.json import JsonObject
from aeon.kernel.state import LOG_FORMAT, OrchestrationState, RunPolicy
from aeon.observability.history import LogHistory
from aeon.observability.records import SupervisorAction, ToolCall
from aeon.plan.models import Plan, PlanStep, StepStatus


def run_header(history: LogHistory) -> JsonObject:
    """What entry 1 says of the run: request, ttl, policy, tools. Raises LogError for no such log, or another format."""
    run = history.entries[0].get("run")
    if not run:
        raise LogError(f"The log {history.path} does not say what was run.", next_step="Start the run again.")
    if run["format"] != LOG_FORMAT:
        raise LogError(
            f"The log {history.path} has format {run['format']}; this Aeon reads {LOG_FORMAT}.",
            next_step="Start the run again, or read the log with the version of Aeon that wrote it.",
        )
    return cast(JsonObject, run)


def restore_state(history: LogHistory) -> OrchestrationState:
    """The state after the last whole entry. Raises LogError for a run that never had a plan."""
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
    """The result of the step that `entry` visited, None when it failed or no step was visited."""
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
