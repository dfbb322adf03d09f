"""What a user's open runs wait for, queue by queue: jobs for workers, runs for executors, questions for people.

Worked out from what the runs' entries say and from who is there: it is the same on every engine.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from aeon.platform.runs.machine.events import AttemptStarted
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.replay import replay
from aeon.platform.runs.service import Runs, RunView
from aeon.platform.workers.availability import list_live_executors
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, Worker, WorkerRegistry

_UNDER_WAY = ("running", "stopping", "retrying")


class OpenJob(NamedTuple):
    """Something in a queue. `type` is the queue: a type of workers, `human` for questions, `process` for whole runs.

    `worker` is who carries it out; without one it is queued, or not to be begun yet. A question waits, for `asks`, or
    for whoever may answer it. `since` is when it was begun, or put; of a run that waits, when something last happened.
    """

    type: str
    id: str
    run: str
    process: str
    step: str
    tool: str
    attempt: int
    status: Literal["queued", "running", "waits"]
    worker: str | None
    asks: str | None
    since: str


class QueueContext(NamedTuple):
    """Who is there, and which questions are answered already."""

    workers: Sequence[Worker]
    executors: Collection[str]
    answered: Collection[str]


def list_open_jobs(runs: Runs, registry: WorkerRegistry, user: str) -> list[OpenJob]:
    """What the user's runs that have not ended wait for, in the order in which these began."""
    ids = runs.repository.list_open_ids(user)
    answered = {signal.id for signal in runs.repository.list_signals(ids)}
    around = QueueContext(registry.list_workers(), list_live_executors(registry), answered)
    return [job for run in ids for job in _of_run(runs, user, run, around)]


def _of_run(runs: Runs, user: str, run: str, around: QueueContext) -> Iterator[OpenJob]:
    found = runs.repository.get(user, run)
    entries = list(runs.repository.entries(run))
    yield from find_open_jobs(RunView(found.run, found.plan, replay(found.plan, entries)), entries, around)


def find_open_jobs(seen: RunView, entries: Sequence[RunEntry], around: QueueContext) -> Iterator[OpenJob]:
    """What one run waits for: first that somebody carries it out, then what its steps wait for. Pure."""
    last = entries[-1].at if entries else seen.run.accepted_at
    if seen.run.executor not in (*around.executors, SELF_RECOVERING_EXECUTOR) and not seen.waits_only_for_people:
        yield _whole(seen, last)
    begun = {each.event.job: each.at for each in entries if isinstance(each.event, AttemptStarted)}
    for position, step in enumerate(seen.plan.steps):
        standing, call = seen.state.steps[position], seen.plan.calls[step.id]
        attempt = standing.attempts + (standing.status == "retrying")
        id_ = seen.plan.job_id(step.id, attempt)
        since = begun.get(id_, last)
        if standing.status == "running" and seen.plan.is_manual(position):
            if id_ not in around.answered:
                yield _job(seen, position, attempt, since, type="human", status="waits", asks=call.asks)
        elif standing.status in _UNDER_WAY and call.kind == "tool":
            worker = next((each.id for each in around.workers if each.current_job_id == id_), None)
            status = "running" if worker else "queued"
            yield _job(seen, position, attempt, since, type=call.worker, status=status, worker=worker)


def _whole(seen: RunView, since: str) -> OpenJob:
    run, name = seen.run.id, seen.run.process_name
    return OpenJob("process", run, run, name, "", "", 1, "queued", None, None, since)


def _job(  # its fields, as they differ
    seen: RunView,
    position: int,
    attempt: int,
    since: str,
    *,
    type: str,  # noqa: A002  # the field's name
    status: Literal["queued", "running", "waits"],
    worker: str | None = None,
    asks: str | None = None,
) -> OpenJob:
    step = seen.plan.steps[position].id
    tool = seen.plan.calls[step].name
    id_ = seen.plan.job_id(step, attempt)
    return OpenJob(type, id_, seen.run.id, seen.run.process_name, step, tool, attempt, status, worker, asks, since)
