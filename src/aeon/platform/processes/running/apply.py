"""The state after an event: total, strict, pure. What cannot happen changes nothing (platform 8-10)."""

from dataclasses import replace

from aeon.base.json import Json
from aeon.platform.processes.running.events import (
    AnswerGiven,
    CancelRequested,
    DeadlinePassed,
    Event,
    Failure,
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
    StepStarted,
    StepStopped,
    StepStopping,
    TimedOut,
)
from aeon.platform.processes.running.failures import DEADLINE, EMPTY, lacks, run_failure, timed_out
from aeon.platform.processes.running.objections import objection
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.retries import is_retried
from aeon.platform.processes.running.spending import overspent
from aeon.platform.processes.running.state import State, StepState, bit_of

_ABSENT: tuple[Json, ...] = ("", [], {})


def apply(plan: Plan, state: State, event: Event) -> State:
    """The state after this event; the very same one, by identity, when the event cannot happen in it.

    `objection` says why it cannot. Never raises.
    """
    if objection(plan, state, event):
        return state
    if isinstance(event, StepEvent):
        return _after_step_event(plan, state, event, plan.positions[event.step])
    return _after_run_event(plan, state, event)


def _after_run_event(plan: Plan, state: State, event: RunEvent) -> State:
    match event:
        case RunStarted(inputs=inputs):
            return _begun(plan, replace(state, phase="running", inputs=inputs))
        case CancelRequested(by=by):
            return replace(state, phase="cancelling", cancelled_by=by, ready=0)
        case DeadlinePassed():
            return _failing(state, DEADLINE)
        case RunCompleted(output=output):
            return replace(state, phase="completed", output=output)
        case RunFailed(error=error):
            return replace(state, phase="failed", error=error)
        case RunCancelled():
            return replace(state, phase="cancelled")


def _begun(plan: Plan, state: State) -> State:
    missing = [name for name in plan.definition.initial_context if name not in state.inputs]
    return _failing(state, lacks(missing)) if missing else _at_stage(plan, state, 0)


def _after_step_event(plan: Plan, state: State, event: StepEvent, position: int) -> State:  # noqa: PLR0911  # one a kind
    match event:
        case StepStarted(attempt=attempt):
            return _started(plan, state, position, attempt)
        case StepCompleted(output=output, tokens=tokens):
            return _given(plan, _charged(plan, state, position, tokens), position, output)
        case AnswerGiven(answer=answer):
            return _given(plan, state, position, answer)
        case StepFailed(error=error, attempt=attempt, tokens=tokens):
            return _failed(plan, _charged(plan, state, position, tokens), position, error, attempt)
        case TimedOut():
            return _lost(plan, state, position, timed_out(plan, position))
        case StepRefused(error=error):
            return _lost(plan, state, position, error)
        case StepSkipped(reason=reason):
            return _settled(plan, state, position, _changed(state, position, status="skipped", reason=reason))
        case StepStopping():
            return _stopping(plan, state, position)
        case StepStopped():
            return _settled(plan, state, position, _changed(state, position, status="stopped"))


def _started(plan: Plan, state: State, position: int, attempt: int) -> State:
    bit = bit_of(plan, state, position)
    step = _changed(state, position, status="running", attempts=attempt)
    steps = state.steps.with_value(position, step)
    return replace(state, steps=steps, ready=state.ready & ~bit, running=state.running | bit)


def _given(plan: Plan, state: State, position: int, output: Json) -> State:
    """A result came. An empty one is none (platform 8): null, or the end of the run."""
    is_empty = output is None or output in _ABSENT
    if is_empty and plan.steps[position].output.required:
        return _lost(plan, state, position, EMPTY)
    step = _changed(state, position, status="completed", value=None if is_empty else output, error=None)
    return _settled(plan, state, position, step, overspent(plan, state, position))


def _failed(plan: Plan, state: State, position: int, error: Failure, attempt: int) -> State:
    """An attempt failed: there is another one, or the step is lost. A run that is being closed tries nothing again."""
    effect = plan.calls[plan.steps[position].id].effect
    is_over = state.phase != "running" or overspent(plan, state, position) is not None
    if is_over or not is_retried(effect, error, attempt):
        return _lost(plan, state, position, error)
    bit = bit_of(plan, state, position)
    steps = state.steps.with_value(position, _changed(state, position, status="retrying", error=error))
    return replace(state, steps=steps, ready=state.ready | bit, running=state.running & ~bit)


def _lost(plan: Plan, state: State, position: int, error: Failure) -> State:
    """The step has no result. A required one ends the run with that (platform 8)."""
    step = _changed(state, position, status="failed", error=error)
    cause = error if plan.steps[position].output.required else overspent(plan, state, position)
    return _settled(plan, state, position, step, cause)


def _settled(plan: Plan, state: State, position: int, step: StepState, cause: Failure | None = None) -> State:
    """The step is over. `cause` ends the run, unless it is ending already: the first cause is the one that is told."""
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


def _at_stage(plan: Plan, state: State, number: int) -> State:
    width = len(plan.stages[number]) if number < len(plan.stages) else 0
    return replace(state, stage=number, ready=(1 << width) - 1, shared_before=state.shared)


def _failing(state: State, error: RunFailure) -> State:
    return replace(state, phase="failing", error=error, ready=0)


def _stopping(plan: Plan, state: State, position: int) -> State:
    steps = state.steps.with_value(position, _changed(state, position, status="stopping"))
    return replace(state, steps=steps, stopping=state.stopping | bit_of(plan, state, position))


def _charged(plan: Plan, state: State, position: int, tokens: int) -> State:
    """The state with the tokens of an attempt counted."""
    if tokens == 0:
        return state
    step = _changed(state, position, tokens=state.steps[position].tokens + tokens)
    shared = tokens if plan.steps[position].output.token_budget is None else 0
    steps = state.steps.with_value(position, step)
    return replace(state, steps=steps, tokens=state.tokens + tokens, shared=state.shared + shared)


def _changed(state: State, position: int, **fields: Json) -> StepState:
    return state.steps[position].model_copy(update=fields)
