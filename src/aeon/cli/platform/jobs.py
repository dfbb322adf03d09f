"""`aeon jobs`: what runs are waiting for, queue by queue, and the calls that failed for good."""

from collections.abc import Sequence
from typing import Final

from aeon.application.runs import RunService
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.runs import retry_run, runtime_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.errors import RuleError
from aeon.platform.runs.dead_jobs import DeadJob
from aeon.platform.workers.open_jobs import OpenJob, list_open_jobs
from aeon.platform.workers.registry import WORKER_TYPES

PROCESS: Final = "process"
HUMAN: Final = "human"
QUEUES: Final = (*WORKER_TYPES, PROCESS, HUMAN)


def require_known_queues(types: Sequence[str]) -> None:
    """Raises InputError for what is no queue."""
    if unknown := [kind for kind in types if kind not in QUEUES]:
        raise InputError(
            f"There are no workers of the type {', '.join(unknown)}.", next_step=f"Name one of {', '.join(QUEUES)}."
        )


_WIDTH = COLUMNS * 3


def list_jobs(user: str, types: Sequence[str], *, as_json: bool) -> int:
    """What the user's open runs wait for: of these queues, or of all. Raises InputError."""
    require_known_queues(types)
    with runtime_session(user) as runner:
        found = [job for job in list_open_jobs(runner.runs, runner.registry, user) if not types or job.type in types]
    if as_json:
        told: list[Json] = [job._asdict() for job in found]
        print_data(indented_json(told))
        return ExitCode.DONE
    for job in found:
        print_data(one_line(printable(_line(job)), _WIDTH))
    if not found:
        print_message(
            "nothing of that type is queued or running in runs of yours"
            if types
            else "no job is queued or running in runs of yours"
        )
    return ExitCode.DONE


def list_dead_jobs(user: str, *, limit: int, as_json: bool) -> int:
    """The user's jobs that failed for good, newest first."""
    with runtime_session(user) as runner:
        found = RunService(runner, user).list_dead_jobs(limit)
    if as_json:
        told: list[JsonObject] = [job.as_dict() for job in found]
        print_data(indented_json(list[Json](told)))
        return ExitCode.DONE
    for job in found:
        print_data(one_line(printable(_dead_line(job)), _WIDTH))
    return ExitCode.DONE


def retry_job(job: str, user: str, *, as_json: bool) -> int:
    """Go on with the run that a job failed in, in a new one, and follow it. Raises NotFoundError, RuleError."""
    with runtime_session(user) as runner:
        dead = RunService(runner, user).get_dead_job(job)
    if dead.retried_by is not None:
        raise RuleError(
            f"The job {job} was tried again already.",
            rule="dead_job",
            next_step=f"See `aeon runs show {dead.retried_by}`.",
        )
    return retry_run(dead.root_id, user, as_json=as_json)


def _line(job: OpenJob) -> str:
    since = f"since {job.since[:19]}"
    if job.type == "process":
        return f"process {job.id} queued: {job.process} waits for somebody to carry it out, {since}"
    if job.type == "human":
        return f"human {job.id} waits: {job.step} of {job.process}, for {job.asks or 'anybody'}, {since}"
    attempt = f", attempt {job.attempt}" if job.attempt > 1 else ""
    by = f", by {job.worker}" if job.worker else ""
    return f"{job.type} {job.id} {job.status}: {job.tool} for {job.process}{attempt}{by}, {since}"


def _dead_line(job: DeadJob) -> str:
    again = f", tried again by {job.retried_by}" if job.retried_by else ""
    return f"{job.id} {job.at[:19]} {job.tool} ({job.attempts} attempt(s){again}) {job.code}: {job.message}"
