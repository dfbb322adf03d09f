"""What Temporal gives one run while it is carried out: jobs as activities, other runs as child workflows, timers.

All of it happens again in the same order when the workflow is replayed: nothing here may look at anything but its
arguments, its record and `workflow`.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, TimeoutError, TimeoutType  # noqa: A004  # Temporal's own

from aeon.adapters.engine.attempts import BEGINS, asked_at, interrupted, job_of, lost
from aeon.adapters.engine.temporal.asking import times_stopped
from aeon.adapters.engine.temporal.calling import CalledRun
from aeon.adapters.engine.temporal.messages import Begin
from aeon.adapters.engine.temporal.names import JOB, queue_of
from aeon.adapters.engine.temporal.writing import Writer
from aeon.platform.processes.running.commands import AskPerson, CancelStep, StartJob, StartProcess
from aeon.platform.processes.running.events import DeadlinePassed, StepStopped, TimedOut
from aeon.platform.processes.running.state import State
from aeon.platform.processes.runs.model import Done, Entry, Happened, Job, Signal, Work

AT_ONCE = 200
"""Jobs, and runs that steps started, which one run has under way at most; Temporal itself stops at 2,000."""

_LONGEST_WAIT = timedelta(days=7)
"""In which a job gets a place on its service, whose limits may have it wait before its own time begins. A worker ends a
job in its time itself; one that is lost is known by its heartbeats."""

_A_STEP_TAKES, _A_QUESTION_TAKES = 12, 2
"""Events of the record, at most, to have one that an earlier workflow left under way again."""

_LARGEST_RECORD = 10 * 1024 * 1024
_LONGEST_RECORD = 30_000
"""Bytes, and events, of a record; Temporal ends a workflow at about five times, and at 51,200."""


class TemporalLane:
    """One run's, within its workflow."""

    def __init__(self, work: Work, begin: Begin, writer: Writer) -> None:
        self._work = work
        self._begin = begin
        self._writer = writer
        self._wanted: asyncio.Queue[Happened] = asyncio.Queue()
        self._seen: set[str] = set()
        self._free = asyncio.Semaphore(AT_ONCE)
        self._under_way = 0
        self._resumed = 0
        self._asked_again = 0
        self._timer = asyncio.create_task(self._until_deadline())

    @property
    def is_at_rest(self) -> bool:
        """Whether the record is full, and another workflow can go on: questions and called runs wait by themselves."""
        return self._is_full and self._under_way == 0 and self._writer.is_settled

    @property
    def _is_full(self) -> bool:
        length, size = workflow.info().get_current_history_length(), workflow.info().get_current_history_size()
        resumed = _A_STEP_TAKES * min(self._resumed, AT_ONCE) + _A_QUESTION_TAKES * self._asked_again
        return length >= min(self._begin.room + resumed, _LONGEST_RECORD) or size >= _LARGEST_RECORD

    async def call(self, command: StartJob, *, again: bool) -> Happened:
        self._resumed += again
        job = job_of(self._work, command)
        if again and job.effect == "once" and not self._begin.is_continued:
            return _happened(interrupted(job))
        await asyncio.sleep(command.delay)
        async with self._free:
            await self._room()
            with self._counted():
                return _happened(await self._carried_out(job))

    async def run(self, command: StartProcess, *, again: bool) -> Happened:
        self._resumed += again
        await asyncio.sleep(command.delay)
        called = CalledRun(self._work.run, command.job, self._begin)
        async with self._free:
            await self._room()
            with self._counted():
                refused = await called.begin(command)
            return _happened(refused or await called.ended(command, self._left(command, again=again)))

    async def ask(self, command: AskPerson, *, again: bool) -> Happened:
        self._asked_again += again
        await asyncio.sleep(max(0.0, self._left(command, again=again)))
        return Happened(TimedOut(step=command.step, attempt=command.attempt))

    async def stop(self, command: CancelStep) -> Happened:
        if self._work.plan.calls[command.step].kind == "process":
            with self._counted():
                await CalledRun(self._work.run, command.job, self._begin).stop()
        return Happened(StepStopped(step=command.step))

    async def signal(self) -> Happened:
        return await self._wanted.get()

    def now(self) -> str:
        return workflow.now().isoformat(timespec="microseconds")

    def record(self, entry: Entry, state: State) -> None:
        self._writer.add(entry, state)

    async def settle(self) -> None:
        await self._writer.settle()

    def take(self, signal: Signal) -> None:
        """Hand a signal to the run, once."""
        if signal.id not in self._seen:
            self._seen.add(signal.id)
            self._wanted.put_nowait(Happened(signal.event))

    def close(self) -> None:
        self._timer.cancel()

    async def _until_deadline(self) -> None:
        if self._work.plan.deadline is not None:
            await asyncio.sleep(max(0.0, self._work.plan.deadline - workflow.time()))
            self._wanted.put_nowait(Happened(DeadlinePassed()))

    async def _carried_out(self, job: Job) -> Done:
        if job.effect == "once":
            await self._writer.settle()  # that it was begun is known before it has an effect
        try:
            told = await workflow.execute_activity(
                JOB,
                job.as_dict(),
                result_type=dict,
                task_queue=queue_of(job.worker),
                start_to_close_timeout=timedelta(seconds=job.timeout) + _LONGEST_WAIT,
                heartbeat_timeout=timedelta(seconds=self._begin.heartbeat),
                retry_policy=RetryPolicy(maximum_attempts=BEGINS),  # of workers that were lost: a job tells the rest
                cancellation_type=workflow.ActivityCancellationType.TRY_CANCEL,
                activity_id=job.id,
            )
        except ActivityError as error:
            if times_stopped():
                raise asyncio.CancelledError from None
            return _lost(job, error)
        return Done.parsed(told)

    def _left(self, command: AskPerson | StartProcess, *, again: bool) -> float:
        """Seconds of its time, which went on while nobody carried the run out: negative once it is over."""
        begun = asked_at(self._work, command.job) if again else None
        return command.timeout if begun is None else begun + command.delay + command.timeout - workflow.time()

    async def _room(self) -> None:
        """Go on, unless the record is full: then it is left to the next workflow."""
        if self._is_full:
            await asyncio.get_running_loop().create_future()

    @contextmanager
    def _counted(self) -> Generator[None]:
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1


def _happened(done: Done) -> Happened:
    return Happened(done.event, done.about)


def _lost(job: Job, error: ActivityError) -> Done:
    if isinstance(error.cause, TimeoutError) and error.cause.type == TimeoutType.START_TO_CLOSE:
        return Done(event=TimedOut(step=job.step, attempt=job.attempt))
    return lost(job, f"A worker was lost {BEGINS} times while it carried it out: {error.cause or error}")
