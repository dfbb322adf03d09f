"""Jobs that other processes carry out: put into the queue of their type, and waited for all together.

What is to be put, taken back and asked for is gathered, and done in one thread after another: however many jobs this
process waits for, there is one query for what they came to.
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
"""Seconds between two looks: the shortest after something happened, growing while nothing does."""

_GROWTH = 1.3

_PAUSE_FACTOR = 5.0
"""A look that took long is followed by a pause of so many times that."""

_MAX_NEW_JOBS = 200
"""New jobs that are put before it is looked again what others came to."""

_MAX_IDS = 10_000

_ENDED_STATUSES = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


class _AwaitedJob(NamedTuple):
    job: Job
    done: asyncio.Future[JobResult]


class _QueueExchange(NamedTuple):
    """What is to be done in one round: jobs that are new, and the ids of others."""

    new: list[Job]
    unwanted: list[str]
    over: list[str]
    waiting: list[str]


class JobQueueClient:
    """The jobs of this process's runs that are in queues. All of it belongs to one event loop."""

    def __init__(self, types: Collection[str]) -> None:
        """`types` are those whose jobs are carried out elsewhere."""
        self._types = frozenset(types)
        self._new: list[Job] = []
        self._unwanted: list[str] = []
        self._over: list[str] = []
        self._waiting: dict[str, _AwaitedJob] = {}
        self._woken = asyncio.Event()
        self._poll_task: asyncio.Task[None] | None = None

    async def accepts(self, job: Job, *, again: bool) -> bool:
        """Whether a job goes into a queue; one that was put into it before a restart stays there in any case."""
        return job.worker in self._types or (again and await _in_thread(_is_known, job.id))

    async def run_job(self, job: Job, *, again: bool) -> JobResult:
        """What a job came to, whoever carried it out. With `again` one that is known is only waited for.

        One that must not be made twice, and of which it is not known that it ever was in a queue, is not put into one.
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
        """Take a job out of its queue, or have whoever carries it out give it up; nothing where it is in none."""
        self._unwanted.append(job)
        self._wake()

    def delete_job(self, job: Job) -> None:
        """What a job came to is kept elsewhere by now."""
        self._over.append(job.id)
        self._wake()

    def _wake(self) -> None:
        self._woken.set()
        if self._poll_task is None or self._poll_task.done():
            self._poll_task = asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        """As long as there is anything to be put, taken back, or waited for."""
        pause = _MIN_PAUSE
        while self._new or self._unwanted or self._over or self._waiting:
            begun = time.monotonic()
            was_stirred = self._woken.is_set()
            self._woken.clear()
            happened = await self._poll_once()
            pause = _MIN_PAUSE if happened or was_stirred else min(pause * _GROWTH, _MAX_PAUSE)
            took = time.monotonic() - begun
            await self._pause(max(pause, min(took * _PAUSE_FACTOR, _MAX_PAUSE)))

    async def _pause(self, seconds: float) -> None:
        """Until then, or until there is something to be put or taken back."""
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            return

    async def _poll_once(self) -> bool:
        """Whether anything had come to an end."""
        told = _QueueExchange(self._new[:_MAX_NEW_JOBS], self._unwanted, self._over, list(self._waiting))
        self._new, self._unwanted, self._over = self._new[_MAX_NEW_JOBS:], [], []
        if self._new:
            self._woken.set()
        try:
            found = await _in_thread(_exchange, told)
        except Exception as error:  # noqa: BLE001  # told to every run that waits
            self._fail(error)
            return False
        for row in found:
            awaited = self._waiting.get(row.workflow_id)
            if awaited is not None and not awaited.done.done():
                _settle(awaited, row)
        return bool(found)

    def _fail(self, error: Exception) -> None:
        for awaited in self._waiting.values():
            if not awaited.done.done():
                awaited.done.set_exception(HaltError(f"The queues of jobs cannot be asked: {error}"))


def delete_jobs_of_runs(runs: Collection[str]) -> None:
    """Remove what is kept of the jobs of runs that have ended."""
    found = DBOS.list_workflows(
        name=JOB, workflow_id_prefix=[f"{run}:" for run in runs], load_input=False, load_output=False
    )
    theirs = set(runs)
    gone = [row.workflow_id for row in found if row.workflow_id.rsplit(":", 2)[0] in theirs]
    if gone:
        DBOS.delete_workflows(gone)


async def _in_thread(function: Any, *given: Any) -> Any:  # what it gives is typed where it is used
    """Outside of the workflow that asks for it: what is done within a step would be a part of it."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *given)


def _is_known(job: str) -> bool:
    return DBOS.get_workflow_status(job) is not None


def _exchange(told: _QueueExchange) -> list[WorkflowStatus]:
    """Put new jobs, take unwanted ones back, remove what is over; of those waited for, which have come to an end."""
    for job in told.new:
        _put(job)
    if told.unwanted:
        DBOS.cancel_workflows(told.unwanted)
    if told.over:
        DBOS.delete_workflows(told.over)
    found: list[WorkflowStatus] = []
    for begin in range(0, len(told.waiting), _MAX_IDS):
        batch = told.waiting[begin : begin + _MAX_IDS]
        found += DBOS.list_workflows(workflow_ids=batch, status=_ENDED_STATUSES, load_input=False)
    return found


def _put(job: Job) -> None:
    """One that is there already stays as it is."""
    DBOS.enqueue_workflow_with_options(
        {"workflow_name": JOB, "queue_name": queue_name(job.worker), "workflow_id": job.id, "app_version": VERSION},
        job.as_dict(),
    )


def _settle(awaited: _AwaitedJob, row: WorkflowStatus) -> None:
    job, done = awaited
    if row.status != "SUCCESS":
        done.set_result(lost_worker_result(job, f"Its queue gave it up: {row.status}. {row.error or ''}".strip()))
        return
    try:
        done.set_result(JobResult.parsed(cast(Any, row.output)))
    except Exception as error:  # noqa: BLE001  # told to the run that waits
        done.set_exception(HaltError(f"What a job came to cannot be read: {error}"))
