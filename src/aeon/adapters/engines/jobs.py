"""What all engines make of one attempt at a step: the job that a worker gets, and what to say of one that broke off."""

from datetime import datetime
from typing import Final

from aeon.platform.runs.machine.commands import StartJob
from aeon.platform.runs.machine.events import AttemptFailure, AttemptStarted, StepFailed
from aeon.platform.runs.model import Job, JobResult, RunSnapshot

MAX_STARTS: Final = 20
"""Times that a job is begun at most, however its workers are lost: rolling restarts are fewer, and one that ends its
worker each time comes to an end as a dead job (platform 10). What must not be done twice is begun once."""


def job_of(work: RunSnapshot, command: StartJob) -> Job:
    """The job of an attempt: what the command says, and what the run's plan says of the tool."""
    called = work.plan.calls[command.step]
    return Job(
        id=command.job,
        run_id=work.run.id,
        step=command.step,
        attempt=command.attempt,
        user=work.run.owner_id,
        tool=command.tool,
        name=called.name,
        owner=called.owner,
        worker=command.worker,
        effect=called.effect,
        inputs=command.inputs,
        timeout=command.timeout,
        tokens=command.tokens,
    )


def interrupted_result(job: Job) -> JobResult:
    """Nobody knows whether it was done, and it must not be done twice (platform 10)."""
    error = AttemptFailure(
        code="interrupted",
        message="Everything stopped while it was being carried out, and it must not be done twice",
        next_step="Look whether it was done, then retry the run, or give the tool the effect `idempotent`.",
        transient=True,
    )
    return JobResult(event=StepFailed(step=job.step, attempt=job.attempt, error=error))


def lost_worker_result(job: Job, why: str) -> JobResult:
    """Whoever carried it out was lost, and it is not made once more (platform 10)."""
    advice = "Look in the log of the workers whether this job ends them, then retry the run."
    error = AttemptFailure(code="worker", message=why, next_step=advice)
    return JobResult(event=StepFailed(step=job.step, attempt=job.attempt, error=error))


def question_asked_at(work: RunSnapshot, job: str) -> float | None:
    """When a question was put, in seconds since 1970; None if it never was."""
    for entry in work.entries:
        if isinstance(entry.event, AttemptStarted) and entry.event.job == job:
            return datetime.fromisoformat(entry.at).timestamp()
    return None


_MAX_WAITING = 100
"""Jobs that one process has wait; of more the queue keeps the rest, and what stands behind them."""


def prefetch_limit(count: int, waiting: int) -> int:
    """So many may have been taken at once where `count` are carried out at once and so many of those taken wait."""
    return count + min(waiting, _MAX_WAITING)
