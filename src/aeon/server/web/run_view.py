"""What a page shows of a run: its steps with their attempts, in time."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

from aeon.application.run_reader import AttemptTrace, LoopCount, RunView
from aeon.application.runs import RunService

_WIDTH: Final = 1000


class ShownAttempt(NamedTuple):
    """An attempt, its place on a line of 1,000 units, and its seconds so far."""

    trace: AttemptTrace
    start: int
    width: int
    seconds: float


class ShownStep(NamedTuple):
    """A step, the name of what it calls, and its attempts. `called` is the run that it started, if it did.

    `items` says how many of a loop are completed; such a step shows neither its inputs nor its result.
    """

    id: str
    status: str
    target: str
    reason: str
    attempts: list[ShownAttempt]
    called: str | None
    items: LoopCount | None


STEPS_ON_A_PAGE: Final = 200
"""Steps that one page shows: a loop has up to 10,000."""


def list_steps(runs: RunService, view: RunView, first: int = 0) -> list[ShownStep]:
    """The steps of one page in their order, from position `first` on."""
    now = datetime.now(UTC)
    begin, end = _instant(view.run.accepted_at), _instant(view.run.ended_at) if view.run.ended_at else now
    length = max((end - begin).total_seconds(), 0.001)
    attempts: dict[str, list[ShownAttempt]] = {}
    for trace in runs.trace(view):
        start, stop = _instant(trace.started_at), _instant(trace.ended_at) if trace.ended_at else end
        seconds = max((stop - start).total_seconds(), 0.0)
        place = round(_WIDTH * max((start - begin).total_seconds(), 0) / length)
        width = max(round(_WIDTH * seconds / length), 4)
        attempts.setdefault(trace.step, []).append(ShownAttempt(trace, min(place, _WIDTH), width, seconds))
    counts = runs.count_items(view)
    shown = range(first, min(first + STEPS_ON_A_PAGE, len(view.plan.steps)))
    return [_step(view, position, attempts, counts) for position in shown]


def _step(
    view: RunView, position: int, attempts: Mapping[str, list[ShownAttempt]], counts: Mapping[str, LoopCount]
) -> ShownStep:
    step, state = view.plan.steps[position], view.state.steps[position]
    call, found = view.plan.call_of(step.id), attempts.get(step.id, [])
    called = found[-1].trace.job if view.plan.starts_run(step.id) and found and found[-1].trace.job else None
    return ShownStep(step.id, state.status, call.name, state.reason, found, called, counts.get(step.id))


def seconds_of(accepted_at: str, ended_at: str | None) -> float:
    """How long a run took, or takes so far."""
    end = _instant(ended_at) if ended_at else datetime.now(UTC)
    return max((end - _instant(accepted_at)).total_seconds(), 0.0)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
