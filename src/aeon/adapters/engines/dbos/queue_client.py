"""Jobs that other processes execute: put into the queue of their type, and awaited together.

New, cancelled and awaited jobs are collected, and handled in one thread at a time: however many jobs this process
waits for, one query fetches their results.
"""

import asyncio
import time
from collections.abc import Collection
from typing import Any, NamedTuple, cast

from dbos import DBOS, WorkflowStatus

from aeon.adapters.engines.dbos.instance import JOB, VERSION, queue_name
from aeon.adapters.engines.jobs import interrupted_result, lost_worker_result
from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.model import Job, JobResult

_MIN_PAUSE, _MAX_PAUSE = 0.02, 0.25
"""Seconds between two polls: the shortest after an event, growing while there is none."""

_GROWTH = 1.3

_PAUSE_FACTOR = 5.0
"""A slow poll is followed by a pause of that multiple of its duration."""

_MAX_NEW_JOBS = 200
"""New jobs to enqueue before the next poll for results."""

_MAX_IDS = 10_000

_ENDED_STATUSES = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


class _AwaitedJob(NamedTuple):
    job: Job
    done: asyncio.Future[JobResult]


class _QueueExchange(NamedTuple):
    """The work of one poll: new jobs, and the ids of others."""

    new: list[Job]
    unwanted: list[str]
    finished: list[str]
    waiting: list[str]


class JobQueueClient:
    """The jobs of this process's runs that are in queues. Bound to one event loop."""

    def __init__(self, types: Collection[str]) -> None:
        """`types` are the worker types whose jobs are executed by other processes."""
        self._types = frozenset(types)
        self._new: list[Job] = []
        self._unwanted: list[str] = []
        self._finished: list[str] = []
        self._waiting: dict[str, _AwaitedJob] = {}
        self._woken = asyncio.Event()
        self._poll_task: asyncio.Task[None] | None = None

    async def accepts(self, job: Job, *, again: bool) -> bool:
        """Return whether a job goes to a queue; one that was queued before stays there."""
        return job.worker in self._types or (again and await _in_thread(_is_known, job.id))

    async def run_job(self, job: Job, *, again: bool) -> JobResult:
        """Return the result of a queued job. With `again`, a known job is only awaited.

        A job with the effect `once` that may never have been queued is not queued again.
        """
        if again and job.effect == "once" and not await _in_thread(_is_known, job.id):
            return interrupted_result(job)
        awaited = self._waiting[job.id] = _AwaitedJob(job, asyncio.get_running_loop().create_future())
        self._new.append(job)
        self._wake()
        try:
            return await awaited.done
        finally:
            self._waiting.pop(job.id, None)

    def cancel_job(self, job: str) -> None:
        """Remove a job from its queue, or abandon it if it is running. Unknown jobs are ignored."""
        self._unwanted.append(job)
        self._wake()

    def delete_job(self, job: Job) -> None:
        """Delete a job from its queue, once its result is stored elsewhere."""
        self._finished.append(job.id)
        self._wake()

    def _wake(self) -> None:
        self._woken.set()
        if self._poll_task is None or self._poll_task.done():
            self._poll_task = asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        """Poll as long as there are jobs to enqueue, to cancel, or to wait for."""
        pause = _MIN_PAUSE
        while self._new or self._unwanted or self._finished or self._waiting:
            started = time.monotonic()
            was_woken = self._woken.is_set()
            self._woken.clear()
            has_results = await self._poll_once()
            pause = _MIN_PAUSE if has_results or was_woken else min(pause * _GROWTH, _MAX_PAUSE)
            duration = time.monotonic() - started
            await self._pause(max(pause, min(duration * _PAUSE_FACTOR, _MAX_PAUSE)))

    async def _pause(self, seconds: float) -> None:
        """Sleep, or return early if there is something to enqueue or to cancel."""
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            return

    async def _poll_once(self) -> bool:
        """Poll once; return whether any job has ended."""
        exchange = _QueueExchange(self._new[:_MAX_NEW_JOBS], self._unwanted, self._finished, list(self._waiting))
        self._new, self._unwanted, self._finished = self._new[_MAX_NEW_JOBS:], [], []
        if self._new:
            self._woken.set()
        try:
            ended = await _in_thread(_exchange, exchange)
        except Exception as error:  # noqa: BLE001  # reported to every waiting run
            self._fail(error)
            return False
        for row in ended:
            awaited = self._waiting.get(row.workflow_id)
            if awaited is not None and not awaited.done.done():
                _settle(awaited, row)
        return bool(ended)

    def _fail(self, error: Exception) -> None:
        for awaited in self._waiting.values():
            if not awaited.done.done():
                awaited.done.set_exception(HaltError(f"The job queues cannot be polled: {error}"))


def delete_jobs_of_runs(runs: Collection[str]) -> None:
    """Delete the jobs of runs that have ended."""
    rows = DBOS.list_workflows(
        name=JOB, workflow_id_prefix=[f"{run}:" for run in runs], load_input=False, load_output=False
    )
    run_ids = set(runs)
    ids = [row.workflow_id for row in rows if row.workflow_id.rsplit(":", 2)[0] in run_ids]
    if ids:
        DBOS.delete_workflows(ids)


async def _in_thread(function: Any, *args: Any) -> Any:  # the caller knows the type
    """Run a function outside of the current workflow: inside, it would be a part of its step."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


def _is_known(job: str) -> bool:
    return DBOS.get_workflow_status(job) is not None


def _exchange(exchange: _QueueExchange) -> list[WorkflowStatus]:
    """Enqueue, cancel and delete jobs; return the awaited ones that have ended."""
    for job in exchange.new:
        _enqueue(job)
    if exchange.unwanted:
        DBOS.cancel_workflows(exchange.unwanted)
    if exchange.finished:
        DBOS.delete_workflows(exchange.finished)
    ended: list[WorkflowStatus] = []
    for begin in range(0, len(exchange.waiting), _MAX_IDS):
        batch = exchange.waiting[begin : begin + _MAX_IDS]
        ended += DBOS.list_workflows(workflow_ids=batch, status=_ENDED_STATUSES, load_input=False)
    return ended


def _enqueue(job: Job) -> None:
    """Enqueue a job; one that exists stays as it is."""
    DBOS.enqueue_workflow_with_options(
        {"workflow_name": JOB, "queue_name": queue_name(job.worker), "workflow_id": job.id, "app_version": VERSION},
        job.as_dict(),
    )


def _settle(awaited: _AwaitedJob, row: WorkflowStatus) -> None:
    job, future = awaited
    if row.status != "SUCCESS":
        future.set_result(lost_worker_result(job, f"Its queue dropped it: {row.status}. {row.error or ''}".strip()))
        return
    try:
        future.set_result(JobResult.parsed(cast(Any, row.output)))
    except Exception as error:  # noqa: BLE001  # reported to the waiting run
        future.set_exception(HaltError(f"The result of a job cannot be read: {error}"))
