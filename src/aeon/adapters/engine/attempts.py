"""What all engines make of one attempt at a step: the job that a worker gets, and what to say of one that broke off."""

from datetime import datetime
from typing import Final

from aeon.platform.processes.running.commands import StartJob
from aeon.platform.processes.running.events import Failure, StepFailed, StepStarted
from aeon.platform.processes.runs.model import Done, Job, Work

BEGINS: Final = 20
"""Times that a job is begun at most, however its workers are lost: rolling restarts are fewer, and one that ends its
worker each time comes to an end as a dead job (platform 10). What must not be done twice is begun once."""


def job_of(work: Work, command: StartJob) -> Job:
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


def interrupted(job: Job) -> Done:
    """Nobody knows whether it was done, and it must not be done twice (platform 10)."""
    error = Failure(
        code="interrupted",
        message="Everything stopped while it was being carried out, and it must not be done twice",
        next_step="Look whether it was done, then retry the run, or give the tool the effect `idempotent`.",
        transient=True,
    )
    return Done(event=StepFailed(step=job.step, attempt=job.attempt, error=error))


def lost(job: Job, why: str) -> Done:
    """Whoever carried it out was lost, and it is not made once more (platform 10)."""
    advice = "Look in the log of the workers whether this job ends them, then retry the run."
    error = Failure(code="worker", message=why, next_step=advice)
    return Done(event=StepFailed(step=job.step, attempt=job.attempt, error=error))


def asked_at(work: Work, job: str) -> float | None:
    """When a question was put, in seconds since 1970; None if it never was."""
    for entry in work.earlier:
        if isinstance(entry.event, StepStarted) and entry.event.job == job:
            return datetime.fromisoformat(entry.at).timestamp()
    return None
