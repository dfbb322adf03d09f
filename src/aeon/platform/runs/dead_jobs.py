"""Dead jobs: jobs that finally failed, kept for a person to inspect and retry (platform 10)."""

from collections.abc import Sequence
from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.records import Record, replace_unstorable
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptFailure,
    StepCompleted,
    StepEvent,
    StepFailed,
    StepRefused,
    StepTimedOut,
)
from aeon.platform.runs.machine.failures import EMPTY_OUTPUT_FAILURE, timeout_failure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.retry_policy import is_retried
from aeon.platform.runs.machine.state import ACTIVE_PHASES, RunPhase
from aeon.platform.runs.model import RunEntry

_EMPTY_OUTPUTS: tuple[Json, ...] = ("", [], {})


class DeadJob(Record):
    """A job whose last attempt failed. `id` is that attempt's id.

    `attempts` is 0 for a job that could not be started. `retried_by` is the run that retried it.
    """

    id: str
    run_id: str
    root_id: str
    owner_id: str
    step: str
    tool: str
    at: str
    code: str
    message: str
    attempts: int
    retried_by: str | None = None


class DeadJobPosition(NamedTuple):
    """A place in the list of a user's dead jobs, newest first."""

    at: str
    id: str


NEWEST_DEAD_JOB = DeadJobPosition("9999", "")
"""The place before the newest dead job."""


def may_contain_dead_jobs(entries: Sequence[RunEntry]) -> bool:
    """Return whether one of these entries may end a job, so that its plan is worth loading."""
    return any(
        isinstance(entry.event, StepFailed | StepTimedOut | StepRefused) or _is_empty(entry) for entry in entries
    )


def find_dead_jobs(plan: RunPlan, entries: Sequence[RunEntry], phase: RunPhase) -> list[JsonObject]:
    """Return the jobs that finally failed in a batch of entries. Pure.

    `phase` is the run's phase after the batch. The jobs are rows without the run's own columns. A step that called
    another Process is left out if that run failed: the dead job is recorded there.
    """
    last = {entry.event.step: entry for entry in entries if isinstance(entry.event, StepEvent)}
    failures = ((entry, _failure(plan, entry, phase)) for entry in last.values())
    return [_row(plan, entry, failure) for entry, failure in failures if failure is not None]


def _failure(plan: RunPlan, entry: RunEntry, phase: RunPhase) -> AttemptFailure | None:
    """Return why the step failed, or None.

    A failure that is retried is followed by the next attempt in the same batch.
    """
    match entry.event:
        case StepFailed(step=step, error=error, attempt=attempt) if "run" not in entry.about:
            is_last = phase not in ACTIVE_PHASES or not is_retried(plan, plan.positions[step], error, attempt)
            return error if is_last else None
        case StepTimedOut(step=step):
            return timeout_failure(plan, plan.positions[step])
        case StepRefused(error=error):
            return error
        case StepCompleted(step=step) | AnswerGiven(step=step) if _is_empty(entry):
            is_required = plan.loop is None and plan.steps[plan.positions[step]].output.required
            return EMPTY_OUTPUT_FAILURE if is_required else None
        case _:
            return None


def _is_empty(entry: RunEntry) -> bool:
    match entry.event:
        case StepCompleted(output=output) | AnswerGiven(answer=output):
            return output is None or output in _EMPTY_OUTPUTS
        case _:
            return False


def _row(plan: RunPlan, entry: RunEntry, failure: AttemptFailure) -> JsonObject:
    step: str = getattr(entry.event, "step", "")
    attempts: int = getattr(entry.event, "attempt", 0)
    return {
        "id": plan.job_id(step, attempts),
        "run_id": plan.run,
        "step": step,
        "tool": plan.call_of(step).name,
        "at": entry.at,
        "code": failure.code,
        "message": replace_unstorable(failure.message),
        "attempts": attempts,
    }
