"""Applies an event to a run's state: total, strict and pure (platform 8-10).

Invalid events change nothing.
"""

from dataclasses import replace
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptFailure,
    AttemptStarted,
    CancelRequested,
    DeadlinePassed,
    HistoryEvent,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunFailure,
    RunPaused,
    RunStarted,
    RunUnpaused,
    StepCompleted,
    StepEvent,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStopped,
    StepStopping,
    StepTimedOut,
    UnwindingStarted,
)
from aeon.platform.runs.machine.failures import (
    DEADLINE_FAILURE,
    EMPTY_OUTPUT_FAILURE,
    missing_inputs_failure,
    run_failure,
    timeout_failure,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.retry_policy import is_retried
from aeon.platform.runs.machine.state import (
    ACTIVE_PHASES,
    CLOSING_PHASES,
    ENDED_PHASES,
    MAIN_PHASES,
    SETTLED_STATUSES,
    STARTING_PHASES,
    RunState,
    StepState,
    asked_user,
    bit_of,
)
from aeon.platform.runs.machine.token_budgets import find_overspend
from aeon.platform.runs.machine.unwinding import first_unwinding_stage, following_stage


def rejection_reason(plan: RunPlan, state: RunState, event: HistoryEvent) -> str:
    """Return why this event is invalid in this state, empty if it is valid.

    Late and repeated events are normal.
    """
    if state.phase in ENDED_PHASES:
        return f"the run has ended: {state.phase}"
    if isinstance(event, StepEvent):
        return _step_rejection(plan, state, event)
    return "" if _is_valid(plan, state, event) else f"a run that is {state.phase} cannot do that"


def _is_valid(plan: RunPlan, state: RunState, event: RunEvent) -> bool:  # noqa: PLR0911  # one a kind
    is_over = state.stage == len(plan.stages)
    match event:
        case RunStarted():
            return state.phase == "new"
        case CancelRequested():
            return state.phase != "cancelling"
        case RunPaused(at=at, process=process):
            is_own = state.phase == "paused" and state.paused_with is not None and process is None
            return (state.phase == "running" or is_own) and at > state.switched_at
        case RunUnpaused(at=at, process=process):
            is_meant = process is None or process == state.paused_with
            return state.phase == "paused" and is_meant and at > state.switched_at
        case DeadlinePassed():
            return state.phase == "new" or state.phase in MAIN_PHASES
        case UnwindingStarted():
            return first_unwinding_stage(plan, state) is not None
        case RunCompleted():
            return state.phase == "running" and is_over
        case RunFailed():
            return _is_closed(state) or (state.phase in STARTING_PHASES and is_over)
        case RunCancelled():
            return (state.phase == "cancelling" and not state.running) or (state.phase == "unwinding" and is_over)


def _is_closed(state: RunState) -> bool:
    """Return whether a failed run has stopped its steps; a cancel request may have cut short what followed."""
    is_failed = state.phase == "failing" or (state.phase == "cancelling" and state.has_unwound)
    return is_failed and not state.running


def _step_rejection(plan: RunPlan, state: RunState, event: StepEvent) -> str:
    position = plan.positions.get(event.step)
    if position is None:
        return f"the run has no step {event.step!r}"
    if state.steps[position].status in SETTLED_STATUSES:
        return f"step {event.step!r} has ended"
    if state.stage == len(plan.stages) or position not in plan.stages[state.stage]:
        return f"it is not the turn of step {event.step!r}"
    if _is_valid_for_step(plan, state, event, position):
        return ""
    asks = asked_user(plan, state, position)
    if isinstance(event, AnswerGiven) and asks not in (None, event.by):
        return f"step {event.step!r} asks only {asks}"
    step = state.steps[position]
    return f"step {event.step!r} is {step.status} after attempt {step.attempts}, and cannot do that"


def _is_valid_for_step(plan: RunPlan, state: RunState, event: StepEvent, position: int) -> bool:  # noqa: PLR0911  # one a kind
    step = state.steps[position]
    bit = bit_of(plan, state, position)
    is_ready, is_running = bool(state.ready & bit), bool(state.running & bit)
    match event:
        case AttemptStarted():
            is_next = event.attempt == step.attempts + 1 and event.job == plan.job_id(event.step, event.attempt)
            return is_ready and is_next
        case StepSkipped():
            return is_ready and step.attempts == 0
        case StepRefused():
            return is_ready
        case StepCompleted():
            was_started = event.attempt <= step.attempts
            return (is_ready or is_running) and was_started and not plan.is_manual(position)
        case AnswerGiven():
            return is_running and plan.is_manual(position) and asked_user(plan, state, position) in (None, event.by)
        case StepFailed() | StepTimedOut():
            return is_running and event.attempt == step.attempts
        case StepStopping():
            return is_running and state.phase in CLOSING_PHASES and not state.stopping & bit
        case StepStopped():
            return is_running and state.phase in CLOSING_PHASES


_EMPTY_OUTPUTS: tuple[Json, ...] = ("", [], {})


def apply_event(plan: RunPlan, state: RunState, event: HistoryEvent) -> RunState:
    """Return the state after an event, or the same object if the event is invalid in it.

    `rejection_reason` says why it is invalid. Never raises.
    """
    if rejection_reason(plan, state, event):
        return state
    if isinstance(event, StepEvent):
        return _after_step_event(plan, state, event, plan.positions[event.step])
    return _after_run_event(plan, state, event)


def _after_run_event(plan: RunPlan, state: RunState, event: RunEvent) -> RunState:  # noqa: PLR0911  # one a kind
    match event:
        case RunStarted(inputs=inputs):
            return _run_started(plan, replace(state, phase="running", inputs=inputs))
        case CancelRequested(by=by):
            return replace(state, phase="cancelling", cancelled_by=by, ready=0)
        case RunPaused(at=at, process=process):
            return replace(state, phase="paused", switched_at=at, paused_with=process)
        case RunUnpaused(at=at):
            return replace(state, phase="running", switched_at=at, paused_with=None)
        case UnwindingStarted():
            return _unwinding(plan, state)
        case DeadlinePassed():
            return _failing(state, DEADLINE_FAILURE)
        case RunCompleted(output=output):
            return replace(state, phase="completed", output=output)
        case RunFailed(error=error):
            return replace(state, phase="failed", error=error)
        case RunCancelled():
            return replace(state, phase="cancelled")


def _run_started(plan: RunPlan, state: RunState) -> RunState:
    required = plan.definition.initial_context if plan.loop is None else ()
    missing = [name for name in required if name not in state.inputs]
    return _failing(state, missing_inputs_failure(missing)) if missing else _at_stage(plan, state, 0)


def _after_step_event(plan: RunPlan, state: RunState, event: StepEvent, position: int) -> RunState:  # noqa: PLR0911  # one a kind
    match event:
        case AttemptStarted(attempt=attempt, asks=asks):
            return _start_attempt(plan, state, position, attempt, asks)
        case StepCompleted(output=output, tokens=tokens):
            return _with_output(plan, _add_tokens(plan, state, position, tokens), position, output)
        case AnswerGiven(answer=answer):
            return _with_output(plan, state, position, answer)
        case StepFailed(error=error, attempt=attempt, tokens=tokens):
            return _attempt_failed(plan, _add_tokens(plan, state, position, tokens), position, error, attempt)
        case StepTimedOut(attempt=attempt):
            return _timed_out(plan, state, position, attempt)
        case StepRefused(error=error):
            return _step_failed(plan, state, position, error)
        case StepSkipped(reason=reason):
            return _settle(plan, state, position, _step_with(state, position, status="skipped", reason=reason))
        case StepStopping():
            return _stopping(plan, state, position)
        case StepStopped():
            return _settle(plan, state, position, _step_with(state, position, status="stopped"))


def _start_attempt(plan: RunPlan, state: RunState, position: int, attempt: int, asks: str | None) -> RunState:
    bit = bit_of(plan, state, position)
    step = _step_with(state, position, status="running", attempts=attempt, asks=asks)
    steps = state.steps.with_value(position, step)
    return replace(state, steps=steps, ready=state.ready & ~bit, running=state.running | bit)


def _with_output(plan: RunPlan, state: RunState, position: int, output: Json) -> RunState:
    """Apply a step's output.

    An empty output counts as none (platform 8): the value is null, or the run fails. The output of a loop is not
    empty, whatever its items gave, and neither is that of an item.
    """
    if plan.is_loop(position):
        step = _step_with(state, position, status="completed", error=None, **_results_of_loop(output))
        return _settle(plan, state, position, step, find_overspend(plan, state, position))
    is_empty = output is None or output in _EMPTY_OUTPUTS
    if is_empty and plan.steps[position].output.required and plan.loop is None:
        return _step_failed(plan, state, position, EMPTY_OUTPUT_FAILURE)
    step = _step_with(state, position, status="completed", value=None if is_empty else output, error=None)
    return _settle(plan, state, position, step, find_overspend(plan, state, position))


def _results_of_loop(output: Json) -> JsonObject:
    """Return the fields of the state of a step whose loop has this output."""
    results = cast(JsonObject, output) if isinstance(output, dict) else {}
    return {"value": results.get("results"), "failures": results.get("failures")}


def _timed_out(plan: RunPlan, state: RunState, position: int, attempt: int) -> RunState:
    """Apply a timeout. After a question the next person is asked, or the answer counts that the step gives."""
    failure = timeout_failure(plan, position)
    rules = plan.steps[position].question
    if not plan.is_manual(position) or rules is None or state.phase not in ACTIVE_PHASES:
        return _attempt_failed(plan, state, position, failure, attempt)
    if attempt <= len(rules.escalate):
        return _retrying(plan, state, position, failure)
    if rules.on_timeout == "answer":
        return _with_output(plan, state, position, rules.answer)
    return _step_failed(plan, state, position, failure)


def _retrying(plan: RunPlan, state: RunState, position: int, error: AttemptFailure) -> RunState:
    bit = bit_of(plan, state, position)
    steps = state.steps.with_value(position, _step_with(state, position, status="retrying", error=error))
    return replace(state, steps=steps, ready=state.ready | bit, running=state.running & ~bit)


def _attempt_failed(plan: RunPlan, state: RunState, position: int, error: AttemptFailure, attempt: int) -> RunState:
    """Apply a failed attempt: retry, or fail the step. A run that is closing retries nothing."""
    is_over = state.phase not in ACTIVE_PHASES or find_overspend(plan, state, position) is not None
    if is_over or not is_retried(plan, position, error, attempt):
        return _step_failed(plan, state, position, error)
    return _retrying(plan, state, position, error)


def _step_failed(plan: RunPlan, state: RunState, position: int, error: AttemptFailure) -> RunState:
    """Let a step end without a result; if its output is required, the run fails (platform 8)."""
    step = _step_with(state, position, status="failed", error=error)
    cause = error if plan.steps[position].output.required else find_overspend(plan, state, position)
    return _settle(plan, state, position, step, cause)


def _settle(
    plan: RunPlan, state: RunState, position: int, step: StepState, cause: AttemptFailure | None = None
) -> RunState:
    """Settle a step. `cause` fails the run, unless it is closing: the first cause counts.

    What follows the main steps runs to its end; a final step of a completed run that fails makes the run fail then.
    """
    others = ~bit_of(plan, state, position)
    after = replace(
        state,
        steps=state.steps.with_value(position, step),
        ready=state.ready & others,
        running=state.running & others,
        stopping=state.stopping & others,
    )
    if state.phase not in ACTIVE_PHASES:
        return after
    if cause is not None and state.phase in MAIN_PHASES:
        failure = state.error or run_failure(plan, position, step.attempts, cause)
        if state.stage < plan.main_end:
            return _failing(after, failure)
        after = replace(after, error=failure)
    return after if after.ready or after.running else _at_stage(plan, after, following_stage(plan, after))


def _unwinding(plan: RunPlan, state: RunState) -> RunState:
    first = first_unwinding_stage(plan, state)
    number = len(plan.stages) if first is None else first
    return _at_stage(plan, replace(state, phase="unwinding", has_unwound=True), number)


def _at_stage(plan: RunPlan, state: RunState, number: int) -> RunState:
    width = len(plan.stages[number]) if number < len(plan.stages) else 0
    return replace(state, stage=number, ready=(1 << width) - 1, shared_before=state.shared)


def _failing(state: RunState, error: RunFailure) -> RunState:
    return replace(state, phase="failing", error=error, ready=0)


def _stopping(plan: RunPlan, state: RunState, position: int) -> RunState:
    steps = state.steps.with_value(position, _step_with(state, position, status="stopping"))
    return replace(state, steps=steps, stopping=state.stopping | bit_of(plan, state, position))


def _add_tokens(plan: RunPlan, state: RunState, position: int, tokens: int) -> RunState:
    """Add the tokens of an attempt."""
    if tokens == 0:
        return state
    step = _step_with(state, position, tokens=state.steps[position].tokens + tokens)
    shared = tokens if plan.steps[position].output.token_budget is None else 0
    steps = state.steps.with_value(position, step)
    return replace(state, steps=steps, tokens=state.tokens + tokens, shared=state.shared + shared)


def _step_with(state: RunState, position: int, **fields: Json) -> StepState:
    return state.steps[position].model_copy(update=fields)
