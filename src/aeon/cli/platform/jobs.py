"""`aeon jobs`: the calls that runs are waiting for, and those that failed for good."""

from aeon.base.json import Json, JsonObject
from aeon.cli.codes import Code
from aeon.cli.platform.runs import retry_run, running
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.errors import RuleError
from aeon.platform.workers.dead import DeadJob
from aeon.platform.workers.jobs import OpenJob, open_jobs

_WIDTH = COLUMNS * 3


def list_jobs(user: str, *, as_json: bool) -> int:
    """The jobs of the user's runs that have not ended."""
    with running(user) as runner:
        found = open_jobs(runner.runs, runner.registry, user)
    if as_json:
        told: list[Json] = [job._asdict() for job in found]
        put(pretty(told))
        return Code.DONE
    for job in found:
        put(one_line(clean(_line(job)), _WIDTH))
    if not found:
        say("no job is queued or running in runs of yours")
    return Code.DONE


def list_dead_jobs(user: str, *, limit: int, as_json: bool) -> int:
    """The user's jobs that failed for good, newest first."""
    with running(user) as runner:
        found = runner.runs.book.dead_of(user, limit)
    if as_json:
        told: list[JsonObject] = [job.as_dict() for job in found]
        put(pretty(list[Json](told)))
        return Code.DONE
    for job in found:
        put(one_line(clean(_dead_line(job)), _WIDTH))
    return Code.DONE


def retry_job(job: str, user: str, *, as_json: bool) -> int:
    """Go on with the run that a job failed in, in a new one, and follow it. Raises NotFoundError, RuleError."""
    with running(user) as runner:
        dead = runner.runs.book.dead(user, job)
    if dead.retried_by is not None:
        raise RuleError(
            f"The job {job} was tried again already.",
            rule="dead_job",
            next_step=f"See `aeon runs show {dead.retried_by}`.",
        )
    return retry_run(dead.root_id, user, as_json=as_json)


def _line(job: OpenJob) -> str:
    attempt = f", attempt {job.attempt}" if job.attempt > 1 else ""
    return f"{job.id} {job.status}: {job.tool} for {job.process}{attempt}{f', by {job.worker}' if job.worker else ''}"


def _dead_line(job: DeadJob) -> str:
    again = f", tried again by {job.retried_by}" if job.retried_by else ""
    return f"{job.id} {job.at[:19]} {job.tool} ({job.attempts} attempt(s){again}) {job.code}: {job.message}"
