"""Hosts the runs of this process: their contexts, signals, leases and child runs."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Protocol, TypeAlias, cast

from aeon.adapters.engines.child_runs import ChildRuns, RunStarter
from aeon.adapters.engines.entry_writer import EntryWriter
from aeon.adapters.engines.jobs import (
    interrupted_result,
    job_of,
    needs_nothing,
    question_asked_at,
    question_timeout,
    unplaceable_result,
    wait_ended,
)
from aeon.adapters.engines.retry import RetryUntilAvailable
from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.base.long_calls import in_long_call
from aeon.platform.errors import ConflictError
from aeon.platform.runs.driver import drive_run
from aeon.platform.runs.lease import ConfirmOwnership, LeaseLostError, RunLease, always_owned
from aeon.platform.runs.machine.commands import AskPerson, CancelStep, StartJob, StartRun, StartWait
from aeon.platform.runs.machine.events import DeadlinePassed, StepStopped, StepStopping
from aeon.platform.runs.machine.state import ENDED_PHASES, RunState
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT, Job, JobResult, Occurrence, RunEntry, RunSignal, RunSnapshot
from aeon.platform.runs.ports import RunRepository, WorkerPool

AttemptFunction: TypeAlias = Callable[[], Awaitable[JobResult]] | Callable[[], JobResult]
"""Makes an attempt: awaited in the loop, or blocking in a thread."""

CheckpointFunction: TypeAlias = Callable[[int, int, AttemptFunction, JsonObject], Awaitable[JobResult]]
"""Runs an attempt at most once to its end: returns the stored result, or that of the function.

The arguments are the step's position, the number of the attempt, the function that makes it, and what it calls. The
result of another call is not used: after a backup of the record was restored, a run may take another way.
"""

_LOG = logging.getLogger("aeon.engine")

_SIGNAL_POLL_INTERVAL = 0.5
"""Seconds between two checks for signals of the runs."""

_CLOCK_POLL_INTERVAL = 1.0
"""Seconds: a machine's clock may be set while a run has a deadline."""

_LONG_CLOCK_POLL_INTERVAL = 15.0
"""Seconds: as above, for a step that waits until an instant."""

_PHASE_POLL_INTERVAL = 0.1
"""Seconds between two checks of a run that another process executes."""


class JobQueues(Protocol):
    """Makes other processes execute jobs."""

    async def accepts(self, job: Job, *, again: bool) -> bool:
        """Return whether a job goes to a queue, or was queued before a restart."""
        ...

    async def run_job(self, job: Job, *, again: bool) -> JobResult:
        """Return the result of a job. Cancelling the caller does not cancel the job."""
        ...

    def remove_job(self, job: str) -> None:
        """Remove a job from its queue, if it is in any: it is unwanted, or its result is stored.

        One that is running is abandoned.
        """
        ...


async def without_checkpoint(_position: int, _attempt: int, make: AttemptFunction, _call: JsonObject) -> JobResult:
    """Make an attempt without storing its result, for an engine without a store."""
    if inspect.iscoroutinefunction(make):
        return await make()
    return await in_long_call(cast(Callable[[], JobResult], make))


class RunHost:
    """Hosts the runs that this process executes. Bound to one event loop, except `wake`."""

    def __init__(
        self,
        repository: RunRepository,
        workers: WorkerPool,
        clock: Clock,
        executor: str,
        start: RunStarter,
        queues: JobQueues | None = None,
        lease: float = HEARTBEAT_TIMEOUT,
        can_execute: Callable[[Job], bool] = needs_nothing,
    ) -> None:
        """Without `queues` all jobs are executed here, and those for which `can_execute` is false fail.

        Other processes adopt runs of this one after `lease` seconds without a heartbeat.
        """
        self._lease_seconds = lease
        self.repository = repository
        self.workers = workers
        self.queues = queues
        self.can_execute = can_execute
        self._clock = clock
        self._executor = executor
        self._contexts: dict[str, _HostedRunContext] = {}
        self._signal_check = asyncio.Event()
        self._signal_task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._halted = threading.Event()
        self.retry = RetryUntilAvailable(self._halted)
        self.child_runs = ChildRuns(repository, self.retry, start, self._until_ended, self._signal_check.set)

    async def host(self, run: str, checkpoint: CheckpointFunction, confirm: ConfirmOwnership = always_owned) -> None:
        """Execute a run to its end, once the engine has confirmed that this process owns it.

        Raises ConflictError or LeaseLostError if another executor owns it.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await self._host_run(run, checkpoint, confirm)
        except (ConflictError, LeaseLostError) as lost:
            _LOG.warning("Run %s: %s This process stops executing it.", run, lost.message)
            raise

    async def _host_run(self, run: str, checkpoint: CheckpointFunction, confirm: ConfirmOwnership) -> None:
        if (earlier := self._contexts.get(run)) is not None:  # this process lost the run and got it back
            await earlier.fence()
        work = await self.retry.call(self.repository.claim, run, self._executor, confirm)
        if work is None:
            return
        writer = EntryWriter(self.repository, run, self._executor, self.retry)
        context = _HostedRunContext(work, self._clock, writer, checkpoint, self)
        if not work.is_new:
            for signal in await asyncio.to_thread(self._signals, [run]):
                context.deliver_signal(signal)
        self._contexts[run] = context
        self._start_signal_task()
        try:
            await writer.run_until_fenced(drive_run(work, context))
        finally:
            context.close()
            context.closed.set()
            if self._contexts.get(run) is context:
                del self._contexts[run]

    def lease_of(self, context: "_HostedRunContext") -> RunLease:
        """Return the lease of a context's run, not yet checked. Only its latest context holds it."""

        def is_held() -> bool:
            return self._contexts.get(context.run_id) is context and self.repository.is_owned_by(
                context.run_id, self._executor
            )

        return RunLease(is_held, f"The run {context.run_id}", lasts=self._lease_seconds)

    def wake(self) -> None:
        """Check the signals of the runs at once. Thread-safe."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._signal_check.set)

    def halt(self) -> None:
        """Prevent all writes from now on: the engine is about to stop."""
        self._halted.set()

    async def _until_ended(self, run: str) -> None:
        context = self._contexts.get(run)
        if context is None or context.ended.is_set():
            await asyncio.sleep(_PHASE_POLL_INTERVAL)
        else:
            await context.ended.wait()

    def _start_signal_task(self) -> None:
        if self._signal_task is None or self._signal_task.done():
            self._signal_task = asyncio.create_task(self._poll_signals())

    async def _poll_signals(self) -> None:
        while self._contexts:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._signal_check.wait(), _SIGNAL_POLL_INTERVAL)
            self._signal_check.clear()
            signals = await asyncio.to_thread(self._signals, list(self._contexts))
            for signal in signals:
                if (context := self._contexts.get(signal.run_id)) is not None:
                    context.deliver_signal(signal)

    def _signals(self, runs: list[str]) -> list[RunSignal]:
        try:
            return self.repository.list_signals(runs)
        except AeonError:  # the store is unavailable: the next check finds the signals
            return []


class _HostedRunContext:
    """The context of one run in this process."""

    def __init__(
        self, work: RunSnapshot, clock: Clock, writer: EntryWriter, checkpoint: CheckpointFunction, host: RunHost
    ) -> None:
        self.run_id = work.run.id
        self.ended = asyncio.Event()
        self.closed = asyncio.Event()
        self._work = work
        self._clock = clock
        self._writer = writer
        self._checkpoint = checkpoint
        self._host = host
        self._signals: asyncio.Queue[Occurrence] = asyncio.Queue()
        self._seen_signals: set[str] = set()
        self._stopping: set[str] = set()
        self._is_over = False
        self._timer = asyncio.create_task(self._until_deadline())

    async def run_job(self, command: StartJob, *, again: bool) -> Occurrence:
        job = job_of(self._work, command)
        await asyncio.sleep(command.delay)
        if job.effect == "once" and not again:
            await self._writer.flush()  # the start is recorded before the job has an effect
        queues = self._host.queues
        if queues is None and not self._host.can_execute(job):
            result = unplaceable_result(job)
        elif queues is not None and await queues.accepts(job, again=again):
            result = await self._run_in_queue(job, queues, again=again)
        else:
            confirm = self._host.lease_of(self).confirm
            async with self._host.workers.reserve(job, confirm) as run:
                is_cut_off = again and job.effect == "once"
                result = await self._checkpointed(job, partial(interrupted_result, job) if is_cut_off else run)
        return Occurrence(result.event, result.about)

    async def _run_in_queue(self, job: Job, queues: JobQueues, *, again: bool) -> JobResult:
        """Make another process execute the job. Only the run itself cancels the job."""
        try:
            result = await self._checkpointed(job, partial(queues.run_job, job, again=again))
        except asyncio.CancelledError:
            if self._is_unwanted(job.step):
                queues.remove_job(job.id)
            raise
        queues.remove_job(job.id)
        return result

    async def _confirm(self) -> None:
        """Raise LeaseLostError if another executor owns the run now."""
        await self._host.retry.call(self._host.lease_of(self).confirm)

    async def _checkpointed(self, job: Job, make: AttemptFunction) -> JobResult:
        call: JsonObject = {"tool": job.tool, "inputs": job.inputs}
        return await self._checkpoint(self._work.plan.positions[job.step], job.attempt, make, call)

    async def run_process(self, command: StartRun, *, again: bool) -> Occurrence:  # noqa: ARG002  # the id identifies it
        async def attempt() -> JobResult:
            await asyncio.sleep(command.delay)
            await self._confirm()
            is_unwanted = partial(self._is_unwanted, command.step)
            return await self._host.child_runs.run_child(self._work.run, command, is_unwanted)

        call: JsonObject = {"run": command.command, "inputs": command.inputs}
        result = await self._checkpoint(self._work.plan.positions[command.step], command.attempt, attempt, call)
        return Occurrence(result.event, result.about)

    async def ask_person(self, command: AskPerson, *, again: bool) -> Occurrence:
        asked_at = question_asked_at(self._work, command.job) if again else None
        elapsed = 0.0 if asked_at is None else max(0.0, self._seconds() - asked_at)  # in case the clock was set back
        await asyncio.sleep(max(0.0, command.timeout - elapsed))
        await self._confirm()
        timeout = question_timeout(self.run_id, command, self.now())
        return Occurrence(await self._host.retry.call(self._host.repository.close_question, timeout))

    async def wait(self, command: StartWait, *, again: bool) -> Occurrence:
        started_at = question_asked_at(self._work, command.job) if again else None
        if command.until is not None:
            while (remaining := command.until - self._seconds()) > 0:  # noqa: ASYNC110  # as for a deadline
                await asyncio.sleep(min(remaining, _LONG_CLOCK_POLL_INTERVAL))
        else:
            elapsed = 0.0 if started_at is None else max(0.0, self._seconds() - started_at)
            await asyncio.sleep(max(0.0, (command.seconds or 0.0) - elapsed))
        return Occurrence(wait_ended(command, self.now()))

    async def cancel_step(self, command: CancelStep) -> Occurrence:
        await self._confirm()
        if self._work.plan.starts_run(command.step):
            await self._host.child_runs.stop_child(self._work.run, command.job)
        elif self._host.queues is not None:
            self._host.queues.remove_job(command.job)
        return Occurrence(StepStopped(step=command.step))

    async def next_signal(self) -> Occurrence:
        return await self._signals.get()

    def now(self) -> str:
        return self._clock.now()

    def record(self, entry: RunEntry, state: RunState) -> None:
        self._writer.add(entry, state)
        if isinstance(entry.event, StepStopping):
            self._stopping.add(entry.event.step)
        if state.phase in ENDED_PHASES:
            self._is_over = True
            self.ended.set()

    async def flush(self) -> None:
        await self._writer.flush()

    def deliver_signal(self, signal: RunSignal) -> None:
        """Deliver a signal to the run, once."""
        if signal.id not in self._seen_signals:
            self._seen_signals.add(signal.id)
            self._signals.put_nowait(Occurrence(signal.event))

    async def fence(self) -> None:
        """Stop at once: another executor owns the run."""
        self._writer.fence(LeaseLostError(f"The run {self.run_id} was adopted, and is executed anew."))
        await self.closed.wait()

    def close(self) -> None:
        self.ended.set()
        self._timer.cancel()

    def _is_unwanted(self, step: str) -> bool:
        """Return whether the run itself no longer wants a running step.

        Otherwise another process continues the step.
        """
        return self._is_over or step in self._stopping

    async def _until_deadline(self) -> None:
        deadline = self._work.plan.deadline
        if deadline is None:
            return
        while (remaining := deadline - self._seconds()) > 0:  # noqa: ASYNC110  # a changed clock sends no notification
            await asyncio.sleep(min(remaining, _CLOCK_POLL_INTERVAL))
        self._signals.put_nowait(Occurrence(DeadlinePassed()))

    def _seconds(self) -> float:
        """Return the seconds since 1970."""
        return datetime.fromisoformat(self._clock.now()).timestamp()
