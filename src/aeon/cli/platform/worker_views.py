"""`aeon serve worker list`: lists the workers without an engine."""

from aeon.application.jobs import Worker
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable


def list_workers(user: str, *, as_json: bool) -> int:
    """Print every registered worker; those without a recent heartbeat are offline."""
    with workspace_session(user) as workspace:
        workers = workspace.jobs.list_workers()
    if as_json:
        print_data(indented_json([worker.as_dict() for worker in workers]))
        return ExitCode.DONE
    for worker in workers:
        print_data(one_line(printable(_line(worker)), COLUMNS * 2))
    if not workers:
        print_message("no worker is registered; each `aeon serve worker` and `aeon process run` starts its own")
    return ExitCode.DONE


def _line(worker: Worker) -> str:
    job = f" {worker.current_job_id}" if worker.current_job_id else ""
    counts = f"{worker.processed_count} job(s), {worker.error_count} failed"
    return f"{worker.type} {worker.status}{job}, last heartbeat {worker.last_heartbeat[:19]}, {counts} ({worker.id})"
