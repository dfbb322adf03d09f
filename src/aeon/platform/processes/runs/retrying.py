"""What a run that goes on after another one begins with: all that the other one had settled. Pure."""

from collections.abc import Iterator

from aeon.platform.processes.running.apply import apply_event
from aeon.platform.processes.running.events import (
    AnswerGiven,
    AttemptStarted,
    HistoryEvent,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepSkipped,
)
from aeon.platform.processes.running.plan import RunPlan
from aeon.platform.processes.running.state import RunState, StepState, initial_state

_ANSWERED = "the run before"


def seed_events(plan: RunPlan, before: RunState) -> list[HistoryEvent]:
    """The events with which a run of this plan gets to where another one of the same definition failed.

    What was completed or left out is so again; what failed and could be done without, too, up to the first step that
    is to be tried again. Tokens that were used before are not counted twice.
    """
    state = initial_state(plan)
    found: list[HistoryEvent] = []
    for event in (RunStarted(inputs=before.inputs), *_of_steps(plan, before)):
        after = apply_event(plan, state, event)
        if after is not state:
            found.append(event)
            state = after
    return found


def _of_steps(plan: RunPlan, before: RunState) -> Iterator[HistoryEvent]:
    for position, step in enumerate(plan.steps):
        yield from _of_step(plan, position, step.id, before.steps[position])


def _of_step(plan: RunPlan, position: int, step: str, was: StepState) -> Iterator[HistoryEvent]:
    is_optional = not plan.steps[position].output.required
    if was.status == "skipped":
        yield StepSkipped(step=step, reason=was.reason)
    elif was.status == "completed" or (was.status == "failed" and is_optional):
        yield AttemptStarted(step=step, job=plan.job_id(step, 1), attempt=1)
        if was.status == "failed" and was.error is not None:
            yield StepFailed(step=step, attempt=1, error=was.error.model_copy(update={"transient": False}))
        elif plan.is_manual(position):
            yield AnswerGiven(step=step, by=plan.calls[step].asks or _ANSWERED, answer=was.value)
        else:
            yield StepCompleted(step=step, attempt=1, output=was.value)
