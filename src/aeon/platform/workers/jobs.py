"""The jobs of a user's open runs, worked out from what the runs' entries say and from what workers do."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from aeon.platform.processes.runs.runs import Runs, Seen
from aeon.platform.workers.model import Worker
from aeon.platform.workers.registry import Registry


class OpenJob(NamedTuple):
    """A job that is not over. `worker` is who carries it out; without one it is queued, or not to be begun yet."""

    id: str
    run: str
    process: str
    step: str
    tool: str
    attempt: int
    status: Literal["queued", "running"]
    worker: str | None


def open_jobs(runs: Runs, registry: Registry, user: str) -> list[OpenJob]:
    """The jobs of the user's runs that have not ended, in the order in which those began."""
    workers = registry.workers()
    return [job for run in runs.book.open_of(user) for job in jobs_of(runs.see(user, run), workers)]


def jobs_of(seen: Seen, workers: Sequence[Worker]) -> Iterator[OpenJob]:
    """The jobs of one run. Pure."""
    busy = {worker.current_job_id: worker.id for worker in workers if worker.current_job_id}
    plan = seen.plan
    for position, step in enumerate(plan.steps):
        standing, call = seen.state.steps[position], plan.calls[step.id]
        if call.kind != "tool" or plan.is_manual(position):
            continue
        if standing.status not in ("running", "stopping", "retrying"):
            continue
        attempt = standing.attempts + (standing.status == "retrying")
        id_ = plan.job(step.id, attempt)
        worker = busy.get(id_)
        status = "running" if worker else "queued"
        yield OpenJob(id_, seen.run.id, seen.run.process_name, step.id, call.name, attempt, status, worker)
