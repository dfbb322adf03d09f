"""What the engines have in common that carry runs out in this process: lanes, signals, and who waits for whom."""

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
from aeon.adapters.engines.jobs import interrupted_result, job_of, question_asked_at
from aeon.adapters.engines.retry import RetryUntilAvailable
from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.long_calls import in_long_call
from aeon.platform.errors import ConflictError
from aeon.platform.runs.driver import drive_run
from aeon.platform.runs.lease import ConfirmOwnership, LeaseLostError, RunLease, always_owned
from aeon.platform.runs.machine.commands import AskPerson, CancelStep, StartJob, StartProcess
from aeon.platform.runs.machine.events import DeadlinePassed, StepStopped, StepStopping, StepTimedOut
from aeon.platform.runs.machine.state import ENDED_PHASES, RunState
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT, Job, JobResult, Occurrence, RunEntry, RunSignal, RunSnapshot
from aeon.platform.runs.ports import RunRepository, WorkerPool

AttemptFunction: TypeAlias = Callable[[], Awaitable[JobResult]] | Callable[[], JobResult]
"""Makes an attempt: awaited in the loop, or blocking in a thread."""

CheckpointFunction: TypeAlias = Callable[[int, int, AttemptFunction], Awaitable[JobResult]]
"""Makes sure that an attempt which came to an end is not made again: given the step's position, the attempt, and what
makes it, gives what it came to, now or before."""

_LOG = logging.getLogger("aeon.engine")

_SIGNAL_POLL_INTERVAL = 0.5
"""Seconds between two looks at what is wanted of the runs."""

_CLOCK_POLL_INTERVAL = 1.0
"""Seconds: a machine's clock may be set while a run has a deadline."""

_PHASE_POLL_INTERVAL = 0.1
"""Seconds between two questions after a run that is carried out elsewhere, or is being written down."""


class JobQueues(Protocol):
    """Has jobs carried out by other processes."""

    async def accepts(self, job: Job, *, again: bool) -> bool:
        """Whether a job goes into a queue, or was put into one before a restart."""
        ...

    async def run_job(self, job: Job, *, again: bool) -> JobResult:
        """What a job came to. Whoever waits no more has not taken it back."""
        ...

    def cancel_job(self, job: str) -> None:
        """Have a job taken out of its queue, or given up, if it is in any."""
        ...

    def delete_job(self, job: Job) -> None:
        """Have what is kept of a job removed: it is over, and what it came to stands in the run's own record."""
        ...


async def without_checkpoint(_position: int, _attempt: int, makes: AttemptFunction) -> JobResult:
    """For an engine that forgets when it stops."""
    if inspect.iscoroutinefunction(makes):
        return await makes()
    return await in_long_call(cast(Callable[[], JobResult], makes))


class RunHost:
    """The runs that this process carries out. All of it belongs to one event loop, but for `wake`."""

    def __init__(
        self,
        book: RunRepository,
        workers: WorkerPool,
        clock: Clock,
        executor: str,
        start: RunStarter,
        queues: JobQueues | None = None,
        lease: float = HEARTBEAT_TIMEOUT,
    ) -> None:
        """Without `queues` all jobs are carried out here.

        Others take runs over from this process after `lease` seconds of silence.
        """
        self._lease_seconds = lease
        self._book = book
        self.workers = workers
        self.queues = queues
        self._clock = clock
        self._executor = executor
        self._contexts: dict[str, _HostedRunContext] = {}
        self._signal_check = asyncio.Event()
        self._signal_task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._halted = threading.Event()
        self.retry = RetryUntilAvailable(self._halted)
        self.child_runs = ChildRuns(book, self.retry, start, self._until_ended, self._signal_check.set)

    async def host(self, run: str, checkpoint: CheckpointFunction, confirm: ConfirmOwnership = always_owned) -> None:
        """Carry a run out to its end, once the engine has confirmed that it is this process's to carry out.

        Raises ConflictError or LeaseLostError when another executor has it.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await self._host_run(run, checkpoint, confirm)
        except (ConflictError, LeaseLostError) as lost:
            _LOG.warning("Run %s: %s Nothing more is done for it here.", run, lost.message)
            raise

    async def _host_run(self, run: str, checkpoint: CheckpointFunction, confirm: ConfirmOwnership) -> None:
        if (earlier := self._contexts.get(run)) is not None:  # it was taken from this process, and given back
            await earlier.fence()
        work = await self.retry.call(self._book.claim, run, self._executor, confirm)
        if work is None:
            return
        writer = EntryWriter(self._book, run, self._executor, self.retry)
        lane = _HostedRunContext(work, self._clock, writer, checkpoint, self)
        self._contexts[run] = lane
        self._start_signal_task(at_once=bool(work.entries))
        try:
            await writer.run_until_fenced(drive_run(work, lane))
        finally:
            lane.close()
            lane.closed.set()
            if self._contexts.get(run) is lane:
                del self._contexts[run]

    def lease_of(self, lane: "_HostedRunContext") -> RunLease:
        """The lease of a lane's run, of which nothing is known yet. Only the last lane of a run can hold it."""

        def is_held() -> bool:
            return self._contexts.get(lane.run_id) is lane and self._book.is_owned_by(lane.run_id, self._executor)

        return RunLease(is_held, f"The run {lane.run_id}", lasts=self._lease_seconds)

    def wake(self) -> None:
        """Look at once what is wanted of the runs. Any thread may ask."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._signal_check.set)

    def halt(self) -> None:
        """Let nothing of what happens from now on be written down: the engine is about to end."""
        self._halted.set()

    async def _until_ended(self, run: str) -> None:
        lane = self._contexts.get(run)
        if lane is None or lane.ended.is_set():
            await asyncio.sleep(_PHASE_POLL_INTERVAL)
        else:
            await lane.ended.wait()

    def _start_signal_task(self, *, at_once: bool) -> None:
        """Of a run that has only begun nothing was wanted yet."""
        if at_once:
            self._signal_check.set()
        if self._signal_task is None or self._signal_task.done():
            self._signal_task = asyncio.create_task(self._poll_signals())

    async def _poll_signals(self) -> None:
        while self._contexts:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._signal_check.wait(), _SIGNAL_POLL_INTERVAL)
            self._signal_check.clear()
            signals = await asyncio.to_thread(self._signals, list(self._contexts))
            for signal in signals:
                if (lane := self._contexts.get(signal.run_id)) is not None:
                    lane.deliver_signal(signal)

    def _signals(self, runs: list[str]) -> list[RunSignal]:
        try:
            return self._book.list_signals(runs)
        except AeonError:  # the store is away for a while: the next look sees what was wanted
            return []


class _HostedRunContext:
    """One run's, in this process."""

    def __init__(
        self, work: RunSnapshot, clock: Clock, writer: EntryWriter, checkpoint: CheckpointFunction, carrying: RunHost
    ) -> None:
        self.run_id = work.run.id
        self.ended = asyncio.Event()
        self.closed = asyncio.Event()
        self._work = work
        self._clock = clock
        self._writer = writer
        self._checkpoint = checkpoint
        self._host = carrying
        self._signals: asyncio.Queue[Occurrence] = asyncio.Queue()
        self._seen_signals: set[str] = set()
        self._stopping: set[str] = set()
        self._is_over = False
        self._timer = asyncio.create_task(self._until_deadline())

    async def run_job(self, command: StartJob, *, again: bool) -> Occurrence:
        job = job_of(self._work, command)
        await asyncio.sleep(command.delay)
        if job.effect == "once" and not again:
            await self._writer.flush()  # that it was begun is known before it has an effect
        queues = self._host.queues
        if queues is not None and await queues.accepts(job, again=again):
            done = await self._run_in_queue(job, queues, again=again)
        else:
            confirm = self._host.lease_of(self).confirm
            async with self._host.workers.reserve(job, confirm) as act:
                is_cut_off = again and job.effect == "once"
                done = await self._checkpointed(job, partial(interrupted_result, job) if is_cut_off else act)
        return Occurrence(done.event, done.about)

    async def _run_in_queue(self, job: Job, queues: JobQueues, *, again: bool) -> JobResult:
        """Have another process carry it out. It is taken back when the run wants it no more, and only then."""
        try:
            done = await self._checkpointed(job, partial(queues.run_job, job, again=again))
        except asyncio.CancelledError:
            if self._is_unwanted(job.step):
                queues.cancel_job(job.id)
            raise
        queues.delete_job(job)
        return done

    async def _confirm(self) -> None:
        """Raises LeaseLostError when the run is another's by now."""
        await self._host.retry.call(self._host.lease_of(self).confirm)

    async def _checkpointed(self, job: Job, makes: AttemptFunction) -> JobResult:
        return await self._checkpoint(self._work.plan.positions[job.step], job.attempt, makes)

    async def run_process(self, command: StartProcess, *, again: bool) -> Occurrence:  # noqa: ARG002  # it is known by its id
        async def attempt() -> JobResult:
            await asyncio.sleep(command.delay)
            await self._confirm()
            is_unwanted = partial(self._is_unwanted, command.step)
            return await self._host.child_runs.run_child(self._work.run, command, is_unwanted)

        done = await self._checkpoint(self._work.plan.positions[command.step], command.attempt, attempt)
        return Occurrence(done.event, done.about)

    async def ask_person(self, command: AskPerson, *, again: bool) -> Occurrence:
        asked = question_asked_at(self._work, command.job) if again else None
        spent = 0.0 if asked is None else max(0.0, self._seconds() - asked)  # the clock may have gone back
        await asyncio.sleep(max(0.0, command.timeout - spent))
        return Occurrence(StepTimedOut(step=command.step, attempt=command.attempt))

    async def cancel_step(self, command: CancelStep) -> Occurrence:
        await self._confirm()
        if self._work.plan.calls[command.step].kind == "process":
            await self._host.child_runs.stop_child(self._work.run, command.job)
        elif self._host.queues is not None:
            self._host.queues.cancel_job(command.job)
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
        """Hand a signal to the run, once."""
        if signal.id not in self._seen_signals:
            self._seen_signals.add(signal.id)
            self._signals.put_nowait(Occurrence(signal.event))

    async def fence(self) -> None:
        """End at once, where everything stands: the run is somebody else's."""
        self._writer.fence(LeaseLostError(f"The run {self.run_id} was taken over, and is carried out anew."))
        await self.closed.wait()

    def close(self) -> None:
        self.ended.set()
        self._timer.cancel()

    def _is_unwanted(self, step: str) -> bool:
        """Whether the run itself wants what a step has under way no more. Else somebody goes on with it."""
        return self._is_over or step in self._stopping

    async def _until_deadline(self) -> None:
        deadline = self._work.plan.deadline
        if deadline is None:
            return
        while (left := deadline - self._seconds()) > 0:  # noqa: ASYNC110  # nobody tells that a clock is set
            await asyncio.sleep(min(left, _CLOCK_POLL_INTERVAL))
        self._signals.put_nowait(Occurrence(DeadlinePassed()))

    def _seconds(self) -> float:
        """Since 1970."""
        return datetime.fromisoformat(self._clock.now()).timestamp()
