"""Why does this step not run? Answered from the plan and the state alone; times are the engine's to add."""

from typing import Literal, TypeAlias

from pydantic import Field

from aeon.platform.processes.running.failures import target_of
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.retries import ATTEMPTS, wait_before
from aeon.platform.processes.running.state import CLOSING, ENDED, SETTLED, State, StepState
from aeon.platform.records import Record

Why: TypeAlias = Literal[
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

_NAMED = 5
"""Steps that a sentence names."""


class Obstacle(Record):
    """Why a call would fail now, since when if that is known, and what to do. `message` ends without a full stop."""

    kind: Literal["down", "disabled", "access", "secret"]
    message: str
    since: str | None = None
    next_step: str


class Reason(Record):
    """Why a step is not over, or gave nothing. `attempt` is the one that runs or comes next.

    `seconds` is how long it still waits, as far as that is known: of a plan and a state alone, the whole delay.
    """

    step: str
    why: Why
    message: str
    waits_for: list[str] = Field(default=[])
    asks: str | None = None
    attempt: int = 0
    seconds: float = 0.0
    obstacle: Obstacle | None = None


def waiting(plan: Plan, state: State) -> list[Reason]:
    """A reason for each step without a completed attempt, in their order."""
    return [_reason(plan, state, position) for position, step in enumerate(state.steps) if step.status != "completed"]


def _reason(plan: Plan, state: State, position: int) -> Reason:
    step = state.steps[position]
    if step.status in SETTLED:
        return _over(plan, position, step)
    if step.status in ("running", "stopping"):
        return _running(plan, position, step)
    if state.phase in CLOSING | ENDED:
        return Reason(step=plan.steps[position].id, why="ended", message=_ended(state))
    if step.status == "retrying":
        return _retrying(plan, position, step)
    return _not_begun(plan, state, position)


def _over(plan: Plan, position: int, step: StepState) -> Reason:
    id_ = plan.steps[position].id
    if step.status == "skipped":
        return Reason(step=id_, why="condition", message=f"Skipped: {step.reason}.")
    if step.status == "stopped":
        return Reason(step=id_, why="ended", message="Stopped with the run.", attempt=step.attempts)
    cause = step.error.message.rstrip(".") if step.error else "for no reason given"
    return Reason(step=id_, why="failed", message=f"Failed: {cause}.", attempt=step.attempts)


def _running(plan: Plan, position: int, step: StepState) -> Reason:
    id_ = plan.steps[position].id
    call = plan.calls[id_]
    if step.status == "stopping":
        return Reason(step=id_, why="stopping", message="Was told to stop, and has not yet.", attempt=step.attempts)
    if plan.is_manual(position):
        said = f"Waits for an answer of {call.asks or 'a person'}."
        return Reason(step=id_, why="asked", message=said, asks=call.asks, attempt=step.attempts)
    seconds = wait_before(step.attempts)
    later = f", {seconds:g} s after the one before" if seconds else ""
    said = f"{runs(plan, position, step.attempts)}{later}."
    return Reason(step=id_, why="running", message=said, attempt=step.attempts, seconds=seconds)


def runs(plan: Plan, position: int, attempt: int) -> str:
    """That an attempt is under way, without a full stop."""
    return f"Runs: {target_of(plan, position)}, attempt {attempt} of at most {ATTEMPTS}"


def _retrying(plan: Plan, position: int, step: StepState) -> Reason:
    attempt = step.attempts + 1
    seconds = wait_before(attempt)
    cause = step.error.message.rstrip(".") if step.error else "it failed"
    said = f"Is tried again (retry {step.attempts} of {ATTEMPTS - 1}) {seconds:g} s after it failed: {cause}."
    return Reason(step=plan.steps[position].id, why="retrying", message=said, attempt=attempt, seconds=seconds)


def _not_begun(plan: Plan, state: State, position: int) -> Reason:
    id_ = plan.steps[position].id
    if state.phase == "new":
        return Reason(step=id_, why="waits", message="The run has not begun.")
    needed = [plan.steps[each].id for each in plan.waits_for(position) if state.steps[each].status not in SETTLED]
    if not needed:
        return Reason(step=id_, why="ready", message="Is about to start.", attempt=1)
    more = f" and {len(needed) - _NAMED} more" if len(needed) > _NAMED else ""
    said = f"Waits for {', '.join(map(repr, needed[:_NAMED]))}{more}."
    return Reason(step=id_, why="waits", message=said, waits_for=needed)


def _ended(state: State) -> str:
    if state.phase in ("cancelling", "cancelled"):
        return f"Was not started: {state.cancelled_by} cancelled the run."
    why = f": {state.error.message}" if state.error else "."
    return f"Was not started: the run failed{why}"
