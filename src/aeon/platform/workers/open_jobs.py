"""The queues of a user's open runs: jobs, runs and questions.

They follow from the runs' entries and the registered executors, so that they are the same on every engine.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from aeon.platform.runs.machine.events import AttemptStarted
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.questions import open_jobs
from aeon.platform.runs.replay import replay
from aeon.platform.runs.service import Runs, RunView
from aeon.platform.workers.availability import list_live_executors
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, Worker, WorkerRegistry

_ACTIVE_STATUSES = ("running", "stopping", "retrying")


class OpenJob(NamedTuple):
    """An entry of a queue: a worker type, `human` for questions, or `process` for runs.

    `worker` executes it; without one it is queued, or not started yet. A question waits for `asks`, or for any user
    who may answer it. `since` is when it started or was asked; for a waiting run, the time of its last entry.
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
    """The registered workers and the live executors."""

    workers: Sequence[Worker]
    executors: Collection[str]


def list_open_jobs(runs: Runs, registry: WorkerRegistry, user: str) -> list[OpenJob]:
    """Return what the user's open runs wait for, in the order in which they were accepted; then what others ask."""
    ids = runs.repository.list_open_ids(user)
    context = QueueContext(registry.list_workers(), list_live_executors(registry))
    own = [job for run in ids for job in _jobs_of_run(runs, user, run, context)]
    return [*own, *_questions_of_others(runs, user)]


def _questions_of_others(runs: Runs, user: str) -> Iterator[OpenJob]:
    """Yield the questions that the runs of other users ask this one by name (platform 41)."""
    for assigned, question in runs.list_assigned(user):
        if assigned.owner != user:
            _, _, attempt = question.job.rpartition(":")
            yield OpenJob(
                type="human",
                id=question.job,
                run=assigned.run,
                process=assigned.process,
                step=assigned.step,
                tool="",
                attempt=int(attempt),
                status="waits",
                worker=None,
                asks=user,
                since=assigned.asked_at,
            )


def _jobs_of_run(runs: Runs, user: str, run: str, context: QueueContext) -> Iterator[OpenJob]:
    planned = runs.repository.get(user, run)
    entries = list(runs.repository.entries(run))
    view = RunView(planned.run, planned.plan, replay(planned.plan, entries))
    questions = open_jobs(runs.list_asked(view, entries))
    yield from find_open_jobs(view, entries, context, questions)


def find_open_jobs(
    view: RunView, entries: Sequence[RunEntry], context: QueueContext, questions: Collection[str]
) -> Iterator[OpenJob]:
    """Yield what one run waits for: an executor, then what its steps wait for. Pure.

    `questions` are the ids of the questions that take an answer.
    """
    last = entries[-1].at if entries else view.run.accepted_at
    needs_executor = not (view.waits_only_for_people and questions)
    if view.run.executor not in (*context.executors, SELF_RECOVERING_EXECUTOR) and needs_executor:
        yield _run_job(view, last)
    started = {each.event.job: each.at for each in entries if isinstance(each.event, AttemptStarted)}
    for position, step in enumerate(view.plan.steps):
        step_state, call = view.state.steps[position], view.plan.call_of(step.id)
        attempt = step_state.attempts + (step_state.status == "retrying")
        id_ = view.plan.job_id(step.id, attempt)
        since = started.get(id_, last)
        if step_state.status == "running" and view.plan.is_manual(position):
            if id_ in questions:
                yield _job(
                    view, position, attempt, since, type="human", status="waits", asks=step_state.asks or call.asks
                )
        elif step_state.status in _ACTIVE_STATUSES and call.kind == "tool" and not view.plan.is_loop(position):
            worker = next((each.id for each in context.workers if each.current_job_id == id_), None)
            status = "running" if worker else "queued"
            yield _job(view, position, attempt, since, type=call.worker, status=status, worker=worker)


def _run_job(view: RunView, since: str) -> OpenJob:
    run, name = view.run.id, view.run.process_name
    return OpenJob("process", run, run, name, "", "", 1, "queued", None, None, since)


def _job(  # one parameter for each field that varies
    view: RunView,
    position: int,
    attempt: int,
    since: str,
    *,
    type: str,  # noqa: A002  # the field's name
    status: Literal["queued", "running", "waits"],
    worker: str | None = None,
    asks: str | None = None,
) -> OpenJob:
    step = view.plan.steps[position].id
    tool = view.plan.call_of(step).name
    id_ = view.plan.job_id(step, attempt)
    return OpenJob(type, id_, view.run.id, view.run.process_name, step, tool, attempt, status, worker, asks, since)
