"""`aeon process job`: lists the open jobs of runs by queue, lists dead jobs, and retries them."""

from collections.abc import Sequence

from aeon.application.jobs import OpenJob
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import print_whether_more
from aeon.cli.platform.runs import retry_run
from aeon.cli.platform.session import workspace_session


def list_jobs(user: str, types: Sequence[str], *, after: str | None, limit: int, output: OutputFormat) -> int:
    """Print the open jobs of the user's runs in these queues; in all queues if none is named.

    Raises InputError for an unknown queue, RuleError for an invalid cursor.
    """
    with workspace_session(user) as workspace:
        page = workspace.jobs.list_open(types, after=after, limit=limit)
    print_whether_more(page)
    if print_as(output, [job._asdict() for job in page.items], key="id"):
        return ExitCode.DONE
    rows = [(job.id, job.type, job.status, job.since[:19], job.process, _what(job)) for job in page.items]
    none = "no job of that type is queued or running in your runs"
    print_table(
        ("ID", "TYPE", "STATE", "SINCE", "PROCESS", "WHAT"),
        rows,
        none if types else "no job is queued or running in your runs",
    )
    return ExitCode.DONE


def list_dead_jobs(user: str, *, after: str | None, limit: int, output: OutputFormat) -> int:
    """Print the user's dead jobs, newest first: those that failed permanently. Raises RuleError."""
    with workspace_session(user) as workspace:
        page = workspace.past_runs.list_dead_jobs(after=after, limit=limit)
    print_whether_more(page)
    if print_as(output, [job.as_dict() for job in page.items], key="id"):
        return ExitCode.DONE
    rows = [
        (job.id, job.at[:19], job.tool, job.attempts, job.retried_by, f"{job.code}: {job.message}")
        for job in page.items
    ]
    print_table(("ID", "AT", "TOOL", "ATTEMPTS", "RETRIED BY", "WHY"), rows, "no job failed permanently")
    return ExitCode.DONE


def retry_job(job: str, user: str, *, as_json: bool) -> int:
    """Retry the run of a dead job in a new run, and follow it. Raises NotFoundError, RuleError."""
    with workspace_session(user) as workspace:
        dead = workspace.jobs.find_retryable(job)
    return retry_run(dead.root_id, user, is_latest=False, as_json=as_json)


def _what(job: OpenJob) -> str:
    if job.type == "process":
        return "waits for a worker"
    if job.type == "human":
        return f"{job.step} waits for {job.asks or 'anybody'}"
    attempt = f", attempt {job.attempt}" if job.attempt > 1 else ""
    by = f", by {job.worker}" if job.worker else ""
    return f"{job.tool}{attempt}{by}"
