"""The events with which a run begins whose work an earlier run has partly done: it continues that one. Pure."""

from collections.abc import Iterable, Iterator

from aeon.base.json import Json
from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptStarted,
    HistoryEvent,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepSkipped,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunState, StepState, initial_state

_ANSWERED_BY = "the run before"


def seed_events(plan: RunPlan, before: RunState) -> list[HistoryEvent]:
    """Return the events that bring a new run of this plan to the point where another run failed.

    Completed and skipped steps, and optional steps that failed, are so again, up to the first step to retry. Tokens
    that were used before are not counted twice. Once steps were undone, the new run does everything again.
    """
    if has_undone(plan, before):
        return [RunStarted(inputs=before.inputs)]
    state = initial_state(plan)
    events: list[HistoryEvent] = []
    for event in (RunStarted(inputs=before.inputs), *_step_events(plan, before)):
        after = apply_event(plan, state, event)
        if after is not state:
            events.append(event)
            state = after
    return events


def has_undone(plan: RunPlan, state: RunState) -> bool:
    """Return whether a run has begun to undo a step."""
    return any(state.steps[plan.positions[undo]].attempts for undo in plan.undone)


def kept_call_keys(plan: RunPlan, events: Iterable[HistoryEvent]) -> dict[str, str]:
    """Return the keys, by step, under which the next run makes the calls again that this one has made.

    A service that heeds keys then does not do again what it did without an answer that arrived. A call that was
    refused gets a new key, since such a service repeats its answer, and so do all calls once steps were undone.
    """
    made = {step: {0} for step in plan.call_keys}  # by an earlier run
    for event in events:
        match event:
            case AttemptStarted():
                if event.step in plan.undone:
                    return {}
                made.setdefault(event.step, set()).add(event.attempt)
            case StepFailed() if event.error.refused:
                made.pop(event.step, None)  # the answer is about the earlier attempts, too: they had the same key
            case StepFailed() if not event.error.may_have_happened:
                made.get(event.step, set()).discard(event.attempt)
            case _:
                pass
    return {step: plan.call_key(step) for step, attempts in made.items() if attempts}


def _step_events(plan: RunPlan, before: RunState) -> Iterator[HistoryEvent]:
    for position, step in enumerate(plan.main_steps):
        if before.steps[position].status == "waiting":
            continue
        yield from _events_of_step(plan, position, step.id, before.steps[position])


def _events_of_step(plan: RunPlan, position: int, step: str, earlier: StepState) -> Iterator[HistoryEvent]:
    is_optional = not plan.steps[position].output.required
    if earlier.status == "skipped":
        yield StepSkipped(step=step, reason=earlier.reason)
    elif earlier.status == "completed" or (earlier.status == "failed" and is_optional):
        yield AttemptStarted(step=step, job=plan.job_id(step, 1), attempt=1)
        output: Json = earlier.value
        if plan.is_loop(position):
            output = {"results": earlier.value, "failures": earlier.failures}
        if earlier.status == "failed" and earlier.error is not None:
            yield StepFailed(step=step, attempt=1, error=earlier.error.model_copy(update={"transient": False}))
        elif plan.is_manual(position):
            yield AnswerGiven(step=step, by=plan.call_of(step).asks or _ANSWERED_BY, answer=earlier.value)
        else:
            yield StepCompleted(step=step, attempt=1, output=output)
