"""`aeon serve worker list`: lists the workers without an engine."""

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
            worker.current_job_id,
        )
        for worker in workers
    ]
    none = "no worker is registered; each `aeon serve worker` and `aeon process run` starts its own"
    print_table(("ID", "TYPE", "STATE", "HEARTBEAT", "JOBS", "FAILED", "JOB NOW"), rows, none)
    return ExitCode.DONE
