"""Explains why a step does not run, from the plan and the state. The engine adds times."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, InstanceOf, PlainSerializer

from aeon.base.next_steps import NextStep, words_of
from aeon.platform.processes.sections import SectionName
from aeon.platform.records import Record
from aeon.platform.runs.machine.failures import describe_target
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.retry_policy import delay_of
from aeon.platform.runs.machine.state import (
    CLOSING_PHASES,
    ENDED_PHASES,
    MAIN_PHASES,
    SETTLED_STATUSES,
    RunState,
    StepState,
)

WaitReasonKind: TypeAlias = Literal[
    "waits",
    "ready",
    "asked",
    "running",
    "stopping",
    "retrying",
    "limit",
    "condition",
    "failed",
    "ended",
    "deadline",
    "engine",
]

_MAX_NAMES = 5
"""Steps that a message names."""

Advice: TypeAlias = Annotated[str | InstanceOf[NextStep], PlainSerializer(str, return_type=str)]
"""What to do next; as data, its neutral text."""


class Obstacle(Record):
    """Why a call would fail now, since when if known, and what to do next.

    `message` has no full stop.
    """

    kind: Literal["down", "disabled", "access", "secret"]
    message: str
    since: str | None = None
    next_step: Advice


class WaitReason(Record):
    """Why a step has not completed. `attempt` is the running or the next attempt.

    `seconds` is how long it still waits, if known; from a plan and a state alone, it is the whole delay.
    """

    step: str
    kind: WaitReasonKind
    message: str
    waits_for: list[str] = Field(default=[])
    asks: str | None = None
    attempt: int = 0
    seconds: float = 0.0
    obstacle: Obstacle | None = None
    next_step: Advice = ""

    def worded(self, words: Mapping[str, str]) -> str:
        """The message, and what to do next in a door's words."""
        return f"{self.message} {words_of(self.next_step, words)}".rstrip()


def explain_steps(plan: RunPlan, state: RunState) -> list[WaitReason]:
    """Return a reason for each step that is not completed, in order; for the items of a loop that wait, one in all."""
    is_loop = plan.loop is not None
    left_out = ("completed", "waiting") if is_loop else ("completed",)
    reasons = [_reason(plan, state, place) for place, step in enumerate(state.steps) if step.status not in left_out]
    waiting = [place for place, step in enumerate(state.steps) if step.status == "waiting"] if is_loop else []
    return [*reasons, _waiting_items(plan, state, waiting[0], len(waiting))] if waiting else reasons


def _waiting_items(plan: RunPlan, state: RunState, first: int, count: int) -> WaitReason:
    """Return the reason why items of a loop have not started, as that of the first of them."""
    step = plan.steps[first].id
    if state.phase in CLOSING_PHASES | ENDED_PHASES:
        return WaitReason(step=step, kind="ended", message=f"{count} item(s) were not started. {_ended_message(state)}")
    done = len(plan.steps) - count - state.running.bit_count()
    message = f"{count} item(s) wait: {plan.concurrency} are worked on at once, {done} of {len(plan.steps)} are done."
    return WaitReason(step=step, kind="waits", message=message)


def _reason(plan: RunPlan, state: RunState, position: int) -> WaitReason:
    step = state.steps[position]
    if step.status in SETTLED_STATUSES:
        return _settled_reason(plan, position, step)
    if step.status in ("running", "stopping"):
        return _running_reason(plan, position, step)
    if state.phase in CLOSING_PHASES | ENDED_PHASES:
        return WaitReason(step=plan.steps[position].id, kind="ended", message=_ended_message(state))
    if step.status == "retrying":
        return _retrying_reason(plan, position, step)
    return _waiting_reason(plan, state, position)


def _settled_reason(plan: RunPlan, position: int, step: StepState) -> WaitReason:
    id_ = plan.steps[position].id
    if step.status == "skipped":
        return WaitReason(step=id_, kind="condition", message=f"Skipped: {step.reason}.")
    if step.status == "stopped":
        return WaitReason(step=id_, kind="ended", message="Stopped with the run.", attempt=step.attempts)
    cause = step.error.message.rstrip(".") if step.error else "for no reason given"
    return WaitReason(step=id_, kind="failed", message=f"Failed: {cause}.", attempt=step.attempts)


def _running_reason(plan: RunPlan, position: int, step: StepState) -> WaitReason:
    id_ = plan.steps[position].id
    call = plan.call_of(id_)
    if step.status == "stopping":
        return WaitReason(
            step=id_, kind="stopping", message="Is asked to stop, and has not stopped yet.", attempt=step.attempts
        )
    if plan.is_manual(position):
        asks = step.asks or call.asks
        message = f"Waits for an answer of {asks or 'a person'}."
        return WaitReason(step=id_, kind="asked", message=message, asks=asks, attempt=step.attempts)
    if call.kind == "wait":
        return WaitReason(step=id_, kind="running", message="Waits until it is time.", attempt=step.attempts)
    seconds = delay_of(plan, position, step.attempts)
    later = f", {seconds:g} s after the one before" if seconds else ""
    message = f"{describe_attempt(plan, position, step.attempts)}{later}."
    return WaitReason(step=id_, kind="running", message=message, attempt=step.attempts, seconds=seconds)


def describe_attempt(plan: RunPlan, position: int, attempt: int) -> str:
    """Describe a running attempt, without a full stop."""
    return (
        f"Runs: {describe_target(plan, position)}, attempt {attempt} of at most {plan.retry_policy(position).attempts}"
    )


def _retrying_reason(plan: RunPlan, position: int, step: StepState) -> WaitReason:
    attempt = step.attempts + 1
    seconds = delay_of(plan, position, attempt)
    cause = step.error.message.rstrip(".") if step.error else "it failed"
    retries = plan.retry_policy(position).attempts - 1
    message = f"Is retried (retry {step.attempts} of {retries}) {seconds:g} s after it failed: {cause}."
    return WaitReason(step=plan.steps[position].id, kind="retrying", message=message, attempt=attempt, seconds=seconds)


def _waiting_reason(plan: RunPlan, state: RunState, position: int) -> WaitReason:
    id_ = plan.steps[position].id
    if state.phase == "new":
        return WaitReason(step=id_, kind="waits", message="The run has not started.")
    if state.phase == "paused":
        what = "The run is paused" if state.paused_with is None else "The run is paused with its process"
        return WaitReason(step=id_, kind="waits", message=f"{what}: resume it.")
    if (when := _when_it_runs(plan, state, position)) is not None:
        return WaitReason(step=id_, kind="waits", message=when)
    needed = [
        plan.steps[each].id for each in plan.waits_for(position) if state.steps[each].status not in SETTLED_STATUSES
    ]
    if not needed:
        return WaitReason(step=id_, kind="ready", message="Is about to start.", attempt=1)
    more = f" and {len(needed) - _MAX_NAMES} more" if len(needed) > _MAX_NAMES else ""
    message = f"Waits for {', '.join(map(repr, needed[:_MAX_NAMES]))}{more}."
    return WaitReason(step=id_, kind="waits", message=message, waits_for=needed)


def _when_it_runs(plan: RunPlan, state: RunState, position: int) -> str | None:
    """Return when a step runs that is not one of the main steps, while those are not over; None for any other."""
    if plan.loop is not None or state.phase not in MAIN_PHASES or state.stage >= plan.main_end:
        return None
    section = next(each for each in plan.sections.values() if position in each.steps)
    if section.name == "compensation":
        return f"Runs only to undo {plan.undone[plan.steps[position].id]!r}, if the run fails or is cancelled."
    return _WHEN.get(section.name)


_WHEN: Mapping[SectionName, str] = {
    "on_failure": "Runs only if the run fails.",
    "finally": "Runs at the end of the run, however it ends.",
}


def _ended_message(state: RunState) -> str:
    if state.phase in ("cancelling", "cancelled"):
        return f"Was not started: {state.cancelled_by} cancelled the run."
    why = f": {state.error.message}" if state.error else "."
    return f"Was not started: the run failed{why}"
