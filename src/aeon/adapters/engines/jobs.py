"""Attempts at steps, for all engines: their jobs, and the results of interrupted ones."""

from datetime import datetime
from typing import Final

from aeon.platform.catalog.needs import describe_needs
from aeon.platform.runs.machine.commands import AskPerson, StartJob, StartWait
from aeon.platform.runs.machine.events import AttemptFailure, AttemptStarted, StepCompleted, StepFailed, StepTimedOut
from aeon.platform.runs.model import Job, JobResult, RunSignal, RunSnapshot

MAX_STARTS: Final = 20
"""Maximum starts of a job whose workers are lost.

Rolling restarts are fewer; a job that ends its worker each time becomes a dead job (platform 10). A job with the
effect `once` starts once.
"""


def job_of(work: RunSnapshot, command: StartJob) -> Job:
    """Return the job of an attempt, from its command and the run's plan."""
    call = work.plan.call_of(command.step)
    return Job(
        id=command.job,
        run_id=work.run.id,
        step=command.step,
        attempt=command.attempt,
        user=work.run.owner_id,
        tool=command.tool,
        name=call.name,
        owner=call.owner,
        worker=command.worker,
        effect=call.effect,
        inputs=command.inputs,
        timeout=command.timeout,
        tokens=command.tokens,
        process=work.run.process_id,
        priority=work.run.priority,
        weight=work.run.weight,
        needs=call.needs,
        call_key=work.plan.call_key(command.step),
    )


def needs_nothing(job: Job) -> bool:
    """Return whether every process can execute a job."""
    return not job.needs


def unplaceable_result(job: Job) -> JobResult:
    """Return the result of a job that this process cannot execute, on an engine that gives no jobs to others."""
    error = AttemptFailure(
        code="labels",
        message=f"It needs a worker with {describe_needs(job.needs)}, and runs in memory give no jobs to workers",
        next_step="Remove engine.address, or set it to a PostgreSQL or Temporal server.",
    )
    return JobResult(event=StepFailed(step=job.step, attempt=job.attempt, error=error))


def interrupted_result(job: Job) -> JobResult:
    """Return the result of a job that was interrupted and must not be repeated (platform 10)."""
    error = AttemptFailure(
        code="interrupted",
        message="Its process stopped while it was running, and it must not be executed twice",
        next_step="Check whether it was done, then retry the run, or give the tool the effect `idempotent`.",
        transient=True,
    )
    return JobResult(event=StepFailed(step=job.step, attempt=job.attempt, error=error))


def lost_worker_result(step: str, attempt: int, why: str) -> JobResult:
    """Return the result of an attempt whose workers failed or were lost too often (platform 10)."""
    advice = "Check in the log of the workers whether this job ends them, then retry the run."
    error = AttemptFailure(code="worker", message=why, next_step=advice)
    return JobResult(event=StepFailed(step=step, attempt=attempt, error=error))


def question_asked_at(work: RunSnapshot, job: str) -> float | None:
    """Return when a question was asked, in seconds since 1970; None if it never was."""
    for entry in work.entries:
        if isinstance(entry.event, AttemptStarted) and entry.event.job == job:
            return datetime.fromisoformat(entry.at).timestamp()
    return None


def wait_ended(command: StartWait, at: str) -> StepCompleted:
    """Return the event that a step has waited long enough; its result is the instant."""
    return StepCompleted(step=command.step, attempt=command.attempt, output=at)


def question_timeout(run: str, command: AskPerson, at: str) -> RunSignal:
    """Return the signal that nobody answered a question in time. It has the question's id, as an answer has."""
    return RunSignal(id=command.job, run_id=run, at=at, event=StepTimedOut(step=command.step, attempt=command.attempt))


_MAX_WAITING = 100
"""Maximum waiting jobs of one process; the rest stays in the queue."""


def prefetch_limit(count: int, waiting: int) -> int:
    """Return how many jobs a process may take: `count` run at once, `waiting` are waiting."""
    return count + min(waiting, _MAX_WAITING)
