"""What a run that goes on after another one begins with: all that the other one had settled. Pure."""

from collections.abc import Iterator

from aeon.platform.processes.running.apply import apply
from aeon.platform.processes.running.events import (
    AnswerGiven,
    Event,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepSkipped,
    StepStarted,
)
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.state import State, StepState, begun

_ANSWERED = "the run before"


def seeds(plan: Plan, before: State) -> list[Event]:
    """The events with which a run of this plan gets to where another one of the same definition failed.

    What was completed or left out is so again; what failed and could be done without, too, up to the first step that
    is to be tried again. Tokens that were used before are not counted twice.
    """
    state = begun(plan)
    found: list[Event] = []
    for event in (RunStarted(inputs=before.inputs), *_of_steps(plan, before)):
        after = apply(plan, state, event)
        if after is not state:
            found.append(event)
            state = after
    return found


def _of_steps(plan: Plan, before: State) -> Iterator[Event]:
    for position, step in enumerate(plan.steps):
        yield from _of_step(plan, position, step.id, before.steps[position])


def _of_step(plan: Plan, position: int, step: str, was: StepState) -> Iterator[Event]:
    is_optional = not plan.steps[position].output.required
    if was.status == "skipped":
        yield StepSkipped(step=step, reason=was.reason)
    elif was.status == "completed" or (was.status == "failed" and is_optional):
        yield StepStarted(step=step, job=plan.job(step, 1), attempt=1)
        if was.status == "failed" and was.error is not None:
            yield StepFailed(step=step, attempt=1, error=was.error.model_copy(update={"transient": False}))
        elif plan.is_manual(position):
            yield AnswerGiven(step=step, by=plan.calls[step].asks or _ANSWERED, answer=was.value)
        else:
            yield StepCompleted(step=step, attempt=1, output=was.value)
