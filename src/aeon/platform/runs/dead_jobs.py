"""Jobs that failed for good: put aside when it happens, for a person to look at and to retry (platform 10)."""

from collections.abc import Sequence

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
from aeon.platform.runs.machine.retry_policy import should_retry
from aeon.platform.runs.machine.state import RunPhase
from aeon.platform.runs.model import RunEntry

_NOTHING: tuple[Json, ...] = ("", [], {})


class DeadJob(Record):
    """A job whose last attempt failed. `id` is that attempt's; `attempts` is 0 for one that could not be started.

    `retried_by` is the run in which it was tried again.
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


def may_contain_dead_jobs(entries: Sequence[RunEntry]) -> bool:
    """Whether one of these may be the end of a job, so that it is worth to look at the plan."""
    return any(
        isinstance(entry.event, StepFailed | StepTimedOut | StepRefused) or _is_empty(entry) for entry in entries
    )


def find_dead_jobs(plan: RunPlan, entries: Sequence[RunEntry], phase: RunPhase) -> list[JsonObject]:
    """The jobs that failed for good in a batch of entries, after which the run stood in that phase. Pure.

    As rows, without what the run itself says. A step that called another Process is left out where that one's run
    failed: the job that did it stands among that run's.
    """
    last = {entry.event.step: entry for entry in entries if isinstance(entry.event, StepEvent)}
    found = ((entry, _failure(plan, entry, phase)) for entry in last.values())
    return [_row(plan, entry, failure) for entry, failure in found if failure is not None]


def _failure(plan: RunPlan, entry: RunEntry, phase: RunPhase) -> AttemptFailure | None:
    """Why the step is lost. A failure that is tried again is followed by that attempt, in the same batch."""
    match entry.event:
        case StepFailed(step=step, error=error, attempt=attempt) if "run" not in entry.about:
            is_last = phase != "running" or not should_retry(plan.calls[step].effect, error, attempt)
            return error if is_last else None
        case StepTimedOut(step=step):
            return timeout_failure(plan, plan.positions[step])
        case StepRefused(error=error):
            return error
        case StepCompleted(step=step) | AnswerGiven(step=step) if _is_empty(entry):
            return EMPTY_OUTPUT_FAILURE if plan.steps[plan.positions[step]].output.required else None
        case _:
            return None


def _is_empty(entry: RunEntry) -> bool:
    match entry.event:
        case StepCompleted(output=given) | AnswerGiven(answer=given):
            return given is None or given in _NOTHING
        case _:
            return False


def _row(plan: RunPlan, entry: RunEntry, failure: AttemptFailure) -> JsonObject:
    step: str = getattr(entry.event, "step", "")
    attempts: int = getattr(entry.event, "attempt", 0)
    return {
        "id": plan.job_id(step, attempts),
        "run_id": plan.run,
        "step": step,
        "tool": plan.calls[step].name,
        "at": entry.at,
        "code": failure.code,
        "message": replace_unstorable(failure.message),
        "attempts": attempts,
    }
