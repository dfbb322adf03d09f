"""The context of one run on Temporal: activities, child workflows and timers.

On a replay of the workflow everything happens again in the same order: this module may read only its arguments, the
history and `workflow`.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, TimeoutError, TimeoutType  # noqa: A004  # Temporal's own

from aeon.adapters.engines.jobs import (
    MAX_STARTS,
    interrupted_result,
    job_of,
    lost_worker_result,
    question_asked_at,
    question_timeout,
    wait_ended,
)
from aeon.adapters.engines.temporal.activity_calls import call_activity, cancellation_count
from aeon.adapters.engines.temporal.child_run import ChildRun
from aeon.adapters.engines.temporal.entry_writer import WorkflowEntryWriter
from aeon.adapters.engines.temporal.messages import RunWorkflowInput
from aeon.adapters.engines.temporal.names import CLOSE_QUESTION, JOB, QUESTIONS_ARE_CLOSED, queue_name, task_priority
from aeon.base.json import JsonObject
from aeon.platform.runs.machine.commands import AskPerson, CancelStep, StartJob, StartRun, StartWait
from aeon.platform.runs.machine.events import DeadlinePassed, StepStopped, StepTimedOut
from aeon.platform.runs.machine.state import RunState
from aeon.platform.runs.model import Job, JobResult, Occurrence, RunEntry, RunSignal, RunSnapshot

MAX_CONCURRENT_STEPS = 200
"""Maximum running jobs and child runs of one run; Temporal's limit is 2,000."""

_MAX_QUEUE_TIME = timedelta(days=7)
"""Maximum time in which a job gets a lease of its service, before its own timeout starts.

A worker enforces the timeout itself; a lost worker is detected by its heartbeats.
"""

_EVENTS_PER_STEP, _EVENTS_PER_QUESTION = 12, 2
"""Maximum history events to resume a step or a question of an earlier workflow."""

_MAX_HISTORY_BYTES = 10 * 1024 * 1024
_MAX_HISTORY_EVENTS = 30_000
"""Maximum bytes and events of a history.

Temporal terminates a workflow at about five times the bytes, and at 51,200 events.
"""


class TemporalRunContext:
    """The context of one run within its workflow."""

    def __init__(self, work: RunSnapshot, workflow_input: RunWorkflowInput, writer: WorkflowEntryWriter) -> None:
        self._work = work
        self._input = workflow_input
        self._writer = writer
        self._signals: asyncio.Queue[Occurrence] = asyncio.Queue()
        self._seen_signals: set[str] = set()
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_STEPS)
        self._running = 0
        self._resumed = 0
        self._resumed_questions = 0
        self._timer = asyncio.create_task(self._until_deadline())

    @property
    def can_continue_as_new(self) -> bool:
        """Whether the history is full and a new workflow can continue.

        Questions and child runs wait by themselves.
        """
        return self._is_full and self._running == 0 and self._writer.is_flushed

    @property
    def _is_full(self) -> bool:
        length, size = workflow.info().get_current_history_length(), workflow.info().get_current_history_size()
        resumed = (
            _EVENTS_PER_STEP * min(self._resumed, MAX_CONCURRENT_STEPS) + _EVENTS_PER_QUESTION * self._resumed_questions
        )
        return (
            length >= min(self._input.max_history_events + resumed, _MAX_HISTORY_EVENTS) or size >= _MAX_HISTORY_BYTES
        )

    async def run_job(self, command: StartJob, *, again: bool) -> Occurrence:
        self._resumed += again
        job = job_of(self._work, command)
        if again and job.effect == "once" and not self._input.is_continued:
            return _occurrence(interrupted_result(job))
        await asyncio.sleep(command.delay)
        async with self._slots:
            await self._wait_if_full()
            with self._counting():
                return _occurrence(await self._execute_activity(job))

    async def run_process(self, command: StartRun, *, again: bool) -> Occurrence:
        self._resumed += again
        await asyncio.sleep(command.delay)
        child = ChildRun(self._work.run, command.job, self._input)
        async with self._slots:
            await self._wait_if_full()
            with self._counting():
                refused = await child.start(command)
            return _occurrence(refused or await child.wait(command, self._seconds_left(command, again=again)))

    async def ask_person(self, command: AskPerson, *, again: bool) -> Occurrence:
        self._resumed_questions += again
        await asyncio.sleep(max(0.0, self._seconds_left(command, again=again)))
        timeout = question_timeout(self._work.run.id, command, self.now())
        if not workflow.patched(QUESTIONS_ARE_CLOSED):
            return Occurrence(timeout.event)
        await self._wait_if_full()
        with self._counting():
            first: JsonObject = await call_activity(CLOSE_QUESTION, timeout.as_dict())
        return Occurrence(RunSignal.parsed(first).event)

    async def wait(self, command: StartWait, *, again: bool) -> Occurrence:
        self._resumed_questions += again
        started_at = question_asked_at(self._work, command.job) if again else None
        due = command.until
        if due is None:
            due = (workflow.time() if started_at is None else started_at) + (command.seconds or 0.0)
        await asyncio.sleep(max(0.0, due - workflow.time()))
        await self._wait_if_full()
        return Occurrence(wait_ended(command, self.now()))

    async def cancel_step(self, command: CancelStep) -> Occurrence:
        if self._work.plan.starts_run(command.step):
            with self._counting():
                await ChildRun(self._work.run, command.job, self._input).stop()
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
        """Deliver a signal to the run, once."""
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
            await self._writer.flush()  # the start is recorded before the job has an effect
        try:
            result = await workflow.execute_activity(
                JOB,
                job.as_dict(),
                result_type=dict,
                task_queue=queue_name(job.worker, job.needs),
                start_to_close_timeout=timedelta(seconds=job.timeout) + _MAX_QUEUE_TIME,
                heartbeat_timeout=timedelta(seconds=self._input.heartbeat),
                retry_policy=RetryPolicy(
                    maximum_attempts=MAX_STARTS
                ),  # for lost workers only: a job reports other failures
                cancellation_type=workflow.ActivityCancellationType.TRY_CANCEL,
                activity_id=job.id,
                priority=task_priority(job),
            )
        except ActivityError as error:
            if cancellation_count():
                raise asyncio.CancelledError from None
            return _activity_failure_result(job, error)
        return JobResult.parsed(result)

    def _seconds_left(self, command: AskPerson | StartRun, *, again: bool) -> float:
        """Return the seconds left, negative after the timeout.

        Time also passes while no process executes the run.
        """
        started_at = question_asked_at(self._work, command.job) if again else None
        return command.timeout if started_at is None else started_at + command.delay + command.timeout - workflow.time()

    async def _wait_if_full(self) -> None:
        """Wait forever if the history is full: the next workflow continues."""
        if self._is_full:
            await asyncio.get_running_loop().create_future()

    @contextmanager
    def _counting(self) -> Generator[None]:
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


def _occurrence(result: JobResult) -> Occurrence:
    return Occurrence(result.event, result.about)


def _activity_failure_result(job: Job, error: ActivityError) -> JobResult:
    if isinstance(error.cause, TimeoutError) and error.cause.type == TimeoutType.START_TO_CLOSE:
        return JobResult(event=StepTimedOut(step=job.step, attempt=job.attempt))
    return lost_worker_result(
        job.step,
        job.attempt,
        f"Its worker was lost {MAX_STARTS} times while it executed the job: {error.cause or error}",
    )
