"""Why an event cannot happen in a state: it is late, repeated, or about something else."""

from aeon.platform.processes.running.events import (
    AnswerGiven,
    AttemptStarted,
    CancelRequested,
    DeadlinePassed,
    HistoryEvent,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
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
from aeon.platform.processes.running.plan import RunPlan
from aeon.platform.processes.running.state import CLOSING_PHASES, ENDED_PHASES, SETTLED_STATUSES, RunState, bit_of


def rejection_reason(plan: RunPlan, state: RunState, event: HistoryEvent) -> str:
    """Why this event cannot happen now, in words; empty when it can. Late and repeated ones are normal."""
    if state.phase in ENDED_PHASES:
        return f"the run has ended: {state.phase}"
    if isinstance(event, StepEvent):
        return _about_a_step(plan, state, event)
    return "" if _fits(plan, state, event) else f"a run that is {state.phase} does not come to that"


def _fits(plan: RunPlan, state: RunState, event: RunEvent) -> bool:
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


def _about_a_step(plan: RunPlan, state: RunState, event: StepEvent) -> str:
    position = plan.positions.get(event.step)
    if position is None:
        return f"the run has no step {event.step!r}"
    if state.steps[position].status in SETTLED_STATUSES:
        return f"step {event.step!r} is over"
    if state.stage == len(plan.stages) or position not in plan.stages[state.stage]:
        return f"it is not the turn of step {event.step!r}"
    if _fits_step(plan, state, event, position):
        return ""
    asks = plan.calls[event.step].asks
    if isinstance(event, AnswerGiven) and asks not in (None, event.by):
        return f"step {event.step!r} asks {asks}, and nobody else"
    step = state.steps[position]
    return f"step {event.step!r} is {step.status} after attempt {step.attempts}, and does not come to that"


def _fits_step(plan: RunPlan, state: RunState, event: StepEvent, position: int) -> bool:  # noqa: PLR0911  # one a kind
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
