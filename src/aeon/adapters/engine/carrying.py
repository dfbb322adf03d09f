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

from aeon.adapters.engine.attempts import asked_at, interrupted, job_of
from aeon.adapters.engine.calling import CalledRuns, Started
from aeon.adapters.engine.patience import Patience
from aeon.adapters.engine.writing import Writer
from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.long_calls import in_long_call
from aeon.platform.errors import ConflictError
from aeon.platform.processes.running.commands import AskPerson, CancelStep, StartJob, StartProcess
from aeon.platform.processes.running.events import DeadlinePassed, StepStopped, StepStopping, TimedOut
from aeon.platform.processes.running.state import ENDED, State
from aeon.platform.processes.runs.conducting import conduct
from aeon.platform.processes.runs.engine import Book, Workers
from aeon.platform.processes.runs.lease import Confirm, Lease, TakenOverError, held_for_ever
from aeon.platform.processes.runs.model import Done, Entry, Happened, Job, Signal, Work
from aeon.platform.workers.model import OFFLINE_AFTER

Makes: TypeAlias = Callable[[], Awaitable[Done]] | Callable[[], Done]
"""Makes an attempt: awaited in the loop, or blocking in a thread."""

Checkpoint: TypeAlias = Callable[[int, int, Makes], Awaitable[Done]]
"""Makes sure that an attempt which came to an end is not made again: given the step's position, the attempt, and what
makes it, gives what it came to, now or before."""

_LOG = logging.getLogger("aeon.engine")

_LOOKS_EVERY = 0.5
"""Seconds between two looks at what is wanted of the runs."""

_LOOKS_AT_THE_CLOCK_EVERY = 1.0
"""Seconds: a machine's clock may be set while a run has a deadline."""

_ASKS_EVERY = 0.1
"""Seconds between two questions after a run that is carried out elsewhere, or is being written down."""


class Queues(Protocol):
    """Has jobs carried out by other processes."""

    async def takes(self, job: Job, *, again: bool) -> bool:
        """Whether a job goes into a queue, or was put into one before a restart."""
        ...

    async def carry_out(self, job: Job, *, again: bool) -> Done:
        """What a job came to. Whoever waits no more has not taken it back."""
        ...

    def withdraw(self, job: str) -> None:
        """Have a job taken out of its queue, or given up, if it is in any."""
        ...

    def forget(self, job: Job) -> None:
        """Have what is kept of a job removed: it is over, and what it came to stands in the run's own record."""
        ...


async def without_checkpoint(_position: int, _attempt: int, makes: Makes) -> Done:
    """For an engine that forgets when it stops."""
    if inspect.iscoroutinefunction(makes):
        return await makes()
    return await in_long_call(cast(Callable[[], Done], makes))


class Carrying:
    """The runs that this process carries out. All of it belongs to one event loop, but for `wake`."""

    def __init__(
        self,
        book: Book,
        workers: Workers,
        clock: Clock,
        executor: str,
        start: Started,
        queues: Queues | None = None,
        lease: float = OFFLINE_AFTER,
    ) -> None:
        """Without `queues` all jobs are carried out here.

        Others take runs over from this process after `lease` seconds of silence.
        """
        self._lasts = lease
        self._book = book
        self.workers = workers
        self.queues = queues
        self._clock = clock
        self._executor = executor
        self._lanes: dict[str, _Lane] = {}
        self._look = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._halted = threading.Event()
        self.patience = Patience(self._halted)
        self.called = CalledRuns(book, self.patience, start, self._until_ended, self._look.set)

    async def carry(self, run: str, checkpoint: Checkpoint, confirm: Confirm = held_for_ever) -> None:
        """Carry a run out to its end, once the engine has confirmed that it is this process's to carry out.

        Raises ConflictError or TakenOverError when another executor has it.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await self._carried(run, checkpoint, confirm)
        except (ConflictError, TakenOverError) as lost:
            _LOG.warning("Run %s: %s Nothing more is done for it here.", run, lost.message)
            raise

    async def _carried(self, run: str, checkpoint: Checkpoint, confirm: Confirm) -> None:
        if (earlier := self._lanes.get(run)) is not None:  # it was taken from this process, and given back
            await earlier.lose()
        work = await self.patience.ask(self._book.work, run, self._executor, confirm)
        if work is None:
            return
        writer = Writer(self._book, run, self._executor, self.patience)
        lane = _Lane(work, self._clock, writer, checkpoint, self)
        self._lanes[run] = lane
        self._begin_looking(at_once=bool(work.earlier))
        try:
            await writer.guarding(conduct(work, lane))
        finally:
            lane.close()
            lane.has_left.set()
            if self._lanes.get(run) is lane:
                del self._lanes[run]

    def lease_of(self, lane: "_Lane") -> Lease:
        """The lease of a lane's run, of which nothing is known yet. Only the last lane of a run can hold it."""

        def is_held() -> bool:
            return self._lanes.get(lane.run_id) is lane and self._book.is_held(lane.run_id, self._executor)

        return Lease(is_held, f"The run {lane.run_id}", lasts=self._lasts)

    def wake(self) -> None:
        """Look at once what is wanted of the runs. Any thread may ask."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._look.set)

    def halt(self) -> None:
        """Let nothing of what happens from now on be written down: the engine is about to end."""
        self._halted.set()

    async def _until_ended(self, run: str) -> None:
        lane = self._lanes.get(run)
        if lane is None or lane.ended.is_set():
            await asyncio.sleep(_ASKS_EVERY)
        else:
            await lane.ended.wait()

    def _begin_looking(self, *, at_once: bool) -> None:
        """Of a run that has only begun nothing was wanted yet."""
        if at_once:
            self._look.set()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_for_signals())

    async def _look_for_signals(self) -> None:
        while self._lanes:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look.wait(), _LOOKS_EVERY)
            self._look.clear()
            signals = await asyncio.to_thread(self._signals, list(self._lanes))
            for signal in signals:
                if (lane := self._lanes.get(signal.run_id)) is not None:
                    lane.take(signal)

    def _signals(self, runs: list[str]) -> list[Signal]:
        try:
            return self._book.signals(runs)
        except AeonError:  # the store is away for a while: the next look sees what was wanted
            return []


class _Lane:
    """One run's, in this process."""

    def __init__(self, work: Work, clock: Clock, writer: Writer, checkpoint: Checkpoint, carrying: Carrying) -> None:
        self.run_id = work.run.id
        self.ended = asyncio.Event()
        self.has_left = asyncio.Event()
        self._work = work
        self._clock = clock
        self._writer = writer
        self._checkpoint = checkpoint
        self._carrying = carrying
        self._wanted: asyncio.Queue[Happened] = asyncio.Queue()
        self._seen: set[str] = set()
        self._stopping: set[str] = set()
        self._is_over = False
        self._timer = asyncio.create_task(self._until_deadline())

    async def call(self, command: StartJob, *, again: bool) -> Happened:
        job = job_of(self._work, command)
        await asyncio.sleep(command.delay)
        if job.effect == "once" and not again:
            await self._writer.settle()  # that it was begun is known before it has an effect
        queues = self._carrying.queues
        if queues is not None and await queues.takes(job, again=again):
            done = await self._elsewhere(job, queues, again=again)
        else:
            confirm = self._carrying.lease_of(self).confirm
            async with self._carrying.workers.place(job, confirm) as act:
                is_cut_off = again and job.effect == "once"
                done = await self._kept(job, partial(interrupted, job) if is_cut_off else act)
        return Happened(done.event, done.about)

    async def _elsewhere(self, job: Job, queues: Queues, *, again: bool) -> Done:
        """Have another process carry it out. It is taken back when the run wants it no more, and only then."""
        try:
            done = await self._kept(job, partial(queues.carry_out, job, again=again))
        except asyncio.CancelledError:
            if self._is_unwanted(job.step):
                queues.withdraw(job.id)
            raise
        queues.forget(job)
        return done

    async def _confirm(self) -> None:
        """Raises TakenOverError when the run is another's by now."""
        await self._carrying.patience.ask(self._carrying.lease_of(self).confirm)

    async def _kept(self, job: Job, makes: Makes) -> Done:
        return await self._checkpoint(self._work.plan.positions[job.step], job.attempt, makes)

    async def run(self, command: StartProcess, *, again: bool) -> Happened:  # noqa: ARG002  # it is known by its id
        async def attempt() -> Done:
            await asyncio.sleep(command.delay)
            await self._confirm()
            is_unwanted = partial(self._is_unwanted, command.step)
            return await self._carrying.called.carry_out(self._work.run, command, is_unwanted)

        done = await self._checkpoint(self._work.plan.positions[command.step], command.attempt, attempt)
        return Happened(done.event, done.about)

    async def ask(self, command: AskPerson, *, again: bool) -> Happened:
        asked = asked_at(self._work, command.job) if again else None
        spent = 0.0 if asked is None else max(0.0, self._seconds() - asked)  # the clock may have gone back
        await asyncio.sleep(max(0.0, command.timeout - spent))
        return Happened(TimedOut(step=command.step, attempt=command.attempt))

    async def stop(self, command: CancelStep) -> Happened:
        await self._confirm()
        if self._work.plan.calls[command.step].kind == "process":
            await self._carrying.called.stop(self._work.run, command.job)
        elif self._carrying.queues is not None:
            self._carrying.queues.withdraw(command.job)
        return Happened(StepStopped(step=command.step))

    async def signal(self) -> Happened:
        return await self._wanted.get()

    def now(self) -> str:
        return self._clock.now()

    def record(self, entry: Entry, state: State) -> None:
        self._writer.add(entry, state)
        if isinstance(entry.event, StepStopping):
            self._stopping.add(entry.event.step)
        if state.phase in ENDED:
            self._is_over = True
            self.ended.set()

    async def settle(self) -> None:
        await self._writer.settle()

    def take(self, signal: Signal) -> None:
        """Hand a signal to the run, once."""
        if signal.id not in self._seen:
            self._seen.add(signal.id)
            self._wanted.put_nowait(Happened(signal.event))

    async def lose(self) -> None:
        """End at once, where everything stands: the run is somebody else's."""
        self._writer.lose(TakenOverError(f"The run {self.run_id} was taken over, and is carried out anew."))
        await self.has_left.wait()

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
            await asyncio.sleep(min(left, _LOOKS_AT_THE_CLOCK_EVERY))
        self._wanted.put_nowait(Happened(DeadlinePassed()))

    def _seconds(self) -> float:
        """Since 1970."""
        return datetime.fromisoformat(self._clock.now()).timestamp()
