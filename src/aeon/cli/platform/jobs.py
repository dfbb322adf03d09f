"""`aeon process job`: lists the open jobs of runs by queue, lists dead jobs, and retries them."""

from collections.abc import Sequence

from aeon.application.jobs import DeadJob, OpenJob
from aeon.base.json import Json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.platform.runs import retry_run
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable

_WIDTH = COLUMNS * 3


def list_jobs(user: str, types: Sequence[str], *, after: str | None, limit: int, as_json: bool) -> int:
    """Print the open jobs of the user's runs in these queues; in all queues if none is named.

    Raises InputError for an unknown queue, RuleError for an invalid cursor.
    """
    with workspace_session(user) as workspace:
        page = workspace.jobs.list_open(types, after=after, limit=limit)
    print_whether_more(page)
    if as_json:
        data: list[Json] = [job._asdict() for job in page.items]
        print_data(indented_json(data))
        return ExitCode.DONE
    for job in page.items:
        print_data(one_line(printable(_line(job)), _WIDTH))
    if not page.items:
        print_message(
            "no job of that type is queued or running in your runs"
            if types
            else "no job is queued or running in your runs"
        )
    return ExitCode.DONE


def list_dead_jobs(user: str, *, after: str | None, limit: int, as_json: bool) -> int:
    """Print the user's dead jobs, newest first: those that failed permanently. Raises RuleError."""
    with workspace_session(user) as workspace:
        page = workspace.past_runs.list_dead_jobs(after=after, limit=limit)
    print_whether_more(page)
    if as_json:
        data: list[Json] = [job.as_dict() for job in page.items]
        print_data(indented_json(data))
        return ExitCode.DONE
    for job in page.items:
        print_data(one_line(printable(_dead_line(job)), _WIDTH))
    return ExitCode.DONE


def retry_job(job: str, user: str, *, as_json: bool) -> int:
    """Retry the run of a dead job in a new run, and follow it. Raises NotFoundError, RuleError."""
    with workspace_session(user) as workspace:
        dead = workspace.jobs.find_retryable(job)
    return retry_run(dead.root_id, user, as_json=as_json)


def _line(job: OpenJob) -> str:
    since = f"since {job.since[:19]}"
    if job.type == "process":
        return f"process {job.id} queued: {job.process} waits for a worker, {since}"
    if job.type == "human":
        return f"human {job.id} waits: {job.step} of {job.process}, for {job.asks or 'anybody'}, {since}"
    attempt = f", attempt {job.attempt}" if job.attempt > 1 else ""
    by = f", by {job.worker}" if job.worker else ""
    return f"{job.type} {job.id} {job.status}: {job.tool} for {job.process}{attempt}{by}, {since}"


def _dead_line(job: DeadJob) -> str:
    retry = f", retried by {job.retried_by}" if job.retried_by else ""
    return f"{job.id} {job.at[:19]} {job.tool} ({job.attempts} attempt(s){retry}) {job.code}: {job.message}"
