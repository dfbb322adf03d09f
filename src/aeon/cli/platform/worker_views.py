"""`aeon worker list`: which workers there are, without an engine."""

from aeon.base.clock import SystemClock
from aeon.cli.codes import Code
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.workers.model import Worker
from aeon.platform.workers.registry import Registry


def list_workers(user: str, *, as_json: bool) -> int:
    """Every worker of every process that is entered; those that are not heard of any more are offline."""
    with opened(user) as platform:
        workers = Registry(platform.store, SystemClock()).workers()
    if as_json:
        put(pretty([worker.as_dict() for worker in workers]))
        return Code.DONE
    for worker in workers:
        put(one_line(clean(_line(worker)), COLUMNS * 2))
    if not workers:
        say("no worker is there; each `aeon worker` and `aeon process run` brings its own")
    return Code.DONE


def _line(worker: Worker) -> str:
    job = f" {worker.current_job_id}" if worker.current_job_id else ""
    counts = f"{worker.processed_count} job(s), {worker.error_count} failed"
    return f"{worker.type} {worker.status}{job}, heard of {worker.last_heartbeat[:19]}, {counts} ({worker.id})"
