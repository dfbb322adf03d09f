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

from aeon.adapters.engines.jobs import MAX_STARTS, interrupted_result, job_of, lost_worker_result, question_asked_at
from aeon.adapters.engines.temporal.activity_calls import cancellation_count
from aeon.adapters.engines.temporal.child_run import ChildRun
from aeon.adapters.engines.temporal.entry_writer import WorkflowEntryWriter
from aeon.adapters.engines.temporal.messages import RunWorkflowInput
from aeon.adapters.engines.temporal.names import JOB, queue_name
from aeon.platform.runs.machine.commands import AskPerson, CancelStep, StartJob, StartProcess
from aeon.platform.runs.machine.events import DeadlinePassed, StepStopped, StepTimedOut
from aeon.platform.runs.machine.state import RunState
from aeon.platform.runs.model import Job, JobResult, Occurrence, RunEntry, RunSignal, RunSnapshot

MAX_CONCURRENT_STEPS = 200
"""Jobs, and runs that steps started, which one run has under way at most; Temporal itself stops at 2,000."""

_MAX_QUEUE_TIME = timedelta(days=7)
"""In which a job gets a place on its service, whose limits may have it wait before its own time begins. A worker ends a
job in its time itself; one that is lost is known by its heartbeats."""

_EVENTS_PER_STEP, _EVENTS_PER_QUESTION = 12, 2
"""Events of the record, at most, to have one that an earlier workflow left under way again."""

_MAX_HISTORY_BYTES = 10 * 1024 * 1024
_MAX_HISTORY_EVENTS = 30_000
"""Bytes, and events, of a record; Temporal ends a workflow at about five times, and at 51,200."""


class TemporalRunContext:
    """One run's, within its workflow."""

    def __init__(self, work: RunSnapshot, begin: RunWorkflowInput, writer: WorkflowEntryWriter) -> None:
        self._work = work
        self._begin = begin
        self._writer = writer
        self._signals: asyncio.Queue[Occurrence] = asyncio.Queue()
        self._seen_signals: set[str] = set()
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_STEPS)
        self._running = 0
        self._resumed = 0
        self._asked_again = 0
        self._timer = asyncio.create_task(self._until_deadline())

    @property
    def can_continue_as_new(self) -> bool:
        """Whether the record is full, and another workflow can go on: questions and called runs wait by themselves."""
        return self._is_full and self._running == 0 and self._writer.is_flushed

    @property
    def _is_full(self) -> bool:
        length, size = workflow.info().get_current_history_length(), workflow.info().get_current_history_size()
        resumed = _EVENTS_PER_STEP * min(self._resumed, MAX_CONCURRENT_STEPS) + _EVENTS_PER_QUESTION * self._asked_again
        return (
            length >= min(self._begin.max_history_events + resumed, _MAX_HISTORY_EVENTS) or size >= _MAX_HISTORY_BYTES
        )

    async def run_job(self, command: StartJob, *, again: bool) -> Occurrence:
        self._resumed += again
        job = job_of(self._work, command)
        if again and job.effect == "once" and not self._begin.is_continued:
            return _happened(interrupted_result(job))
        await asyncio.sleep(command.delay)
        async with self._slots:
            await self._wait_if_full()
            with self._counting():
                return _happened(await self._execute_activity(job))

    async def run_process(self, command: StartProcess, *, again: bool) -> Occurrence:
        self._resumed += again
        await asyncio.sleep(command.delay)
        called = ChildRun(self._work.run, command.job, self._begin)
        async with self._slots:
            await self._wait_if_full()
            with self._counting():
                refused = await called.start(command)
            return _happened(refused or await called.wait(command, self._seconds_left(command, again=again)))

    async def ask_person(self, command: AskPerson, *, again: bool) -> Occurrence:
        self._asked_again += again
        await asyncio.sleep(max(0.0, self._seconds_left(command, again=again)))
        return Occurrence(StepTimedOut(step=command.step, attempt=command.attempt))

    async def cancel_step(self, command: CancelStep) -> Occurrence:
        if self._work.plan.calls[command.step].kind == "process":
            with self._counting():
                await ChildRun(self._work.run, command.job, self._begin).stop()
        return Occurrence(StepStopped(step=command.step))

    async def next_signal(self) -> Occurrence:
        return await self._signals.get()

    def now(self) -> str:
        return workflow.now().isoformat(timespec="microseconds")

    def record(self, entry: RunEntry, state: RunState) -> None:
        self._writer.add(entry, state)

    async def flush(self) -> None:
        await self._writer.flush()

    def deliver_signal(self, signal: RunSignal) -> None:
        """Hand a signal to the run, once."""
        if signal.id not in self._seen_signals:
            self._seen_signals.add(signal.id)
            self._signals.put_nowait(Occurrence(signal.event))

    def close(self) -> None:
        self._timer.cancel()

    async def _until_deadline(self) -> None:
        if self._work.plan.deadline is not None:
            await asyncio.sleep(max(0.0, self._work.plan.deadline - workflow.time()))
            self._signals.put_nowait(Occurrence(DeadlinePassed()))

    async def _execute_activity(self, job: Job) -> JobResult:
        if job.effect == "once":
            await self._writer.flush()  # that it was begun is known before it has an effect
        try:
            told = await workflow.execute_activity(
                JOB,
                job.as_dict(),
                result_type=dict,
                task_queue=queue_name(job.worker),
                start_to_close_timeout=timedelta(seconds=job.timeout) + _MAX_QUEUE_TIME,
                heartbeat_timeout=timedelta(seconds=self._begin.heartbeat),
                retry_policy=RetryPolicy(
                    maximum_attempts=MAX_STARTS
                ),  # of workers that were lost: a job tells the rest
                cancellation_type=workflow.ActivityCancellationType.TRY_CANCEL,
                activity_id=job.id,
            )
        except ActivityError as error:
            if cancellation_count():
                raise asyncio.CancelledError from None
            return _activity_failure_result(job, error)
        return JobResult.parsed(told)

    def _seconds_left(self, command: AskPerson | StartProcess, *, again: bool) -> float:
        """Seconds of its time, which went on while nobody carried the run out: negative once it is over."""
        begun = question_asked_at(self._work, command.job) if again else None
        return command.timeout if begun is None else begun + command.delay + command.timeout - workflow.time()

    async def _wait_if_full(self) -> None:
        """Go on, unless the record is full: then it is left to the next workflow."""
        if self._is_full:
            await asyncio.get_running_loop().create_future()

    @contextmanager
    def _counting(self) -> Generator[None]:
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


def _happened(done: JobResult) -> Occurrence:
    return Occurrence(done.event, done.about)


def _activity_failure_result(job: Job, error: ActivityError) -> JobResult:
    if isinstance(error.cause, TimeoutError) and error.cause.type == TimeoutType.START_TO_CLOSE:
        return JobResult(event=StepTimedOut(step=job.step, attempt=job.attempt))
    return lost_worker_result(
        job, f"A worker was lost {MAX_STARTS} times while it carried it out: {error.cause or error}"
    )
