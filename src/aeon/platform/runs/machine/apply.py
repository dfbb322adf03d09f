"""Applies an event to a run's state: total, strict and pure (platform 8-10).

Invalid events change nothing.
"""

from dataclasses import replace

from aeon.base.json import Json
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
    RunStarted,
    StepCompleted,
    StepEvent,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStopped,
    StepStopping,
    StepTimedOut,
)
from aeon.platform.runs.machine.failures import (
    DEADLINE_FAILURE,
    EMPTY_OUTPUT_FAILURE,
    missing_inputs_failure,
    run_failure,
    timeout_failure,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.retry_policy import should_retry
from aeon.platform.runs.machine.state import (
    CLOSING_PHASES,
    ENDED_PHASES,
    SETTLED_STATUSES,
    RunState,
    StepState,
    bit_of,
)
from aeon.platform.runs.machine.token_budgets import find_overspend


def rejection_reason(plan: RunPlan, state: RunState, event: HistoryEvent) -> str:
    """Return why this event is invalid in this state, empty if it is valid.

    Late and repeated events are normal.
    """
    if state.phase in ENDED_PHASES:
        return f"the run has ended: {state.phase}"
    if isinstance(event, StepEvent):
        return _step_rejection(plan, state, event)
    return "" if _is_valid(plan, state, event) else f"a run that is {state.phase} cannot do that"


def _is_valid(plan: RunPlan, state: RunState, event: RunEvent) -> bool:
    is_over = state.stage == len(plan.stages)
    match event:
        case RunStarted():
            return state.phase == "new"
        case CancelRequested():
            return state.phase != "cancelling"
        case DeadlinePassed():
            return state.phase not in CLOSING_PHASES
        case RunCompleted():
            return state.phase == "running" and is_over
        case RunFailed():
            return (state.phase == "failing" and not state.running) or (state.phase == "running" and is_over)
        case RunCancelled():
            return state.phase == "cancelling" and not state.running


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
    asks = plan.calls[event.step].asks
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
            return is_running and plan.is_manual(position) and plan.calls[event.step].asks in (None, event.by)
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


def _after_run_event(plan: RunPlan, state: RunState, event: RunEvent) -> RunState:
    match event:
        case RunStarted(inputs=inputs):
            return _run_started(plan, replace(state, phase="running", inputs=inputs))
        case CancelRequested(by=by):
            return replace(state, phase="cancelling", cancelled_by=by, ready=0)
        case DeadlinePassed():
            return _failing(state, DEADLINE_FAILURE)
        case RunCompleted(output=output):
            return replace(state, phase="completed", output=output)
        case RunFailed(error=error):
            return replace(state, phase="failed", error=error)
        case RunCancelled():
            return replace(state, phase="cancelled")


def _run_started(plan: RunPlan, state: RunState) -> RunState:
    missing = [name for name in plan.definition.initial_context if name not in state.inputs]
    return _failing(state, missing_inputs_failure(missing)) if missing else _at_stage(plan, state, 0)


def _after_step_event(plan: RunPlan, state: RunState, event: StepEvent, position: int) -> RunState:  # noqa: PLR0911  # one a kind
    match event:
        case AttemptStarted(attempt=attempt):
            return _start_attempt(plan, state, position, attempt)
        case StepCompleted(output=output, tokens=tokens):
            return _with_output(plan, _add_tokens(plan, state, position, tokens), position, output)
        case AnswerGiven(answer=answer):
            return _with_output(plan, state, position, answer)
        case StepFailed(error=error, attempt=attempt, tokens=tokens):
            return _attempt_failed(plan, _add_tokens(plan, state, position, tokens), position, error, attempt)
        case StepTimedOut():
            return _step_failed(plan, state, position, timeout_failure(plan, position))
        case StepRefused(error=error):
            return _step_failed(plan, state, position, error)
        case StepSkipped(reason=reason):
            return _settle(plan, state, position, _step_with(state, position, status="skipped", reason=reason))
        case StepStopping():
            return _stopping(plan, state, position)
        case StepStopped():
            return _settle(plan, state, position, _step_with(state, position, status="stopped"))


def _start_attempt(plan: RunPlan, state: RunState, position: int, attempt: int) -> RunState:
    bit = bit_of(plan, state, position)
    step = _step_with(state, position, status="running", attempts=attempt)
    steps = state.steps.with_value(position, step)
    return replace(state, steps=steps, ready=state.ready & ~bit, running=state.running | bit)


def _with_output(plan: RunPlan, state: RunState, position: int, output: Json) -> RunState:
    """Apply a step's output.

    An empty output counts as none (platform 8): the value is null, or the run fails.
    """
    is_empty = output is None or output in _EMPTY_OUTPUTS
    if is_empty and plan.steps[position].output.required:
        return _step_failed(plan, state, position, EMPTY_OUTPUT_FAILURE)
    step = _step_with(state, position, status="completed", value=None if is_empty else output, error=None)
    return _settle(plan, state, position, step, find_overspend(plan, state, position))


def _attempt_failed(plan: RunPlan, state: RunState, position: int, error: AttemptFailure, attempt: int) -> RunState:
    """Apply a failed attempt: retry, or fail the step. A run that is closing retries nothing."""
    effect = plan.calls[plan.steps[position].id].effect
    is_over = state.phase != "running" or find_overspend(plan, state, position) is not None
    if is_over or not should_retry(effect, error, attempt):
        return _step_failed(plan, state, position, error)
    bit = bit_of(plan, state, position)
    steps = state.steps.with_value(position, _step_with(state, position, status="retrying", error=error))
    return replace(state, steps=steps, ready=state.ready | bit, running=state.running & ~bit)


def _step_failed(plan: RunPlan, state: RunState, position: int, error: AttemptFailure) -> RunState:
    """Let a step end without a result; if its output is required, the run fails (platform 8)."""
    step = _step_with(state, position, status="failed", error=error)
    cause = error if plan.steps[position].output.required else find_overspend(plan, state, position)
    return _settle(plan, state, position, step, cause)


def _settle(
    plan: RunPlan, state: RunState, position: int, step: StepState, cause: AttemptFailure | None = None
) -> RunState:
    """Settle a step. `cause` fails the run, unless it is closing: the first cause counts."""
    others = ~bit_of(plan, state, position)
    after = replace(
        state,
        steps=state.steps.with_value(position, step),
        ready=state.ready & others,
        running=state.running & others,
        stopping=state.stopping & others,
    )
    if state.phase != "running":
        return after
    if cause is not None:
        return _failing(after, run_failure(plan, position, step.attempts, cause))
    return after if after.ready or after.running else _at_stage(plan, after, state.stage + 1)


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
