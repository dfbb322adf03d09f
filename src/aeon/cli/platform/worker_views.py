"""`aeon serve worker list` and `drain`, without an engine."""

from aeon.cli.console import print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.session import workspace_session


def list_workers(user: str, *, output: OutputFormat) -> int:
    """Print every registered worker; those without a recent heartbeat are offline."""
    with workspace_session(user) as workspace:
        workers = workspace.jobs.list_workers()
    if print_as(output, [worker.as_dict() for worker in workers], key="id"):
        return ExitCode.DONE
    rows = [
        (
            worker.id,
            worker.type,
            worker.status,
            worker.last_heartbeat[:19],
            worker.processed_count,
            worker.error_count,
            " ".join(worker.labels) or None,
            worker.current_job_id,
        )
        for worker in workers
    ]
    none = "no worker is registered; each `aeon serve worker` and `aeon process run` starts its own"
    print_table(("ID", "TYPE", "STATE", "HEARTBEAT", "JOBS", "FAILED", "LABELS", "JOB NOW"), rows, none)
    return ExitCode.DONE


def drain_workers(process: str | None, host: str | None, user: str) -> int:
    """Ask worker processes to drain, and name them. Raises InputError, NotFoundError."""
    with workspace_session(user) as workspace:
        for each in workspace.jobs.drain(process, host=host):
            print_message(f"worker {each} drains: it finishes its jobs, and ends")
    return ExitCode.DONE
