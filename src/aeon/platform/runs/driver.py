"""Drives a run on any engine: decides the next commands, executes them, and records events.

The same loop runs in the process, in a durable workflow and in a replayed one, so it reads nothing from outside
except through its RunContext: no clock, no ids, no randomness. Events are handled in the order in which the context
gives them.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol

from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.commands import (
    AskPerson,
    CancelStep,
    RunCommand,
    StartJob,
    StartLoop,
    StartProcess,
    StartRun,
    StartWait,
    event_of_command,
)
from aeon.platform.runs.machine.decide import decide, recorded_commands
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptFailure,
    HistoryEvent,
    RunStarted,
    StepFailed,
    StepStopped,
)
from aeon.platform.runs.machine.state import ENDED_PHASES, RunState
from aeon.platform.runs.model import Occurrence, RunEntry, RunSnapshot
from aeon.platform.runs.replay import replay
from aeon.platform.runs.semantics import SEMANTICS


class RunContext(Protocol):
    """The services that an engine gives one run. Each request ends as an event of its step.

    `again` says that the same attempt may have been made before a restart. A request ends if it is cancelled.
    """

    async def run_job(self, command: StartJob, *, again: bool) -> Occurrence:
        """Run a job on a worker, after its delay and within its timeout."""
        ...

    async def run_process(self, command: StartRun, *, again: bool) -> Occurrence:
        """Run another Process, or a loop, to its end."""
        ...

    async def wait(self, command: StartWait, *, again: bool) -> Occurrence:
        """Wait until it is time, which also passes while no process executes the run."""
        ...

    async def ask_person(self, command: AskPerson, *, again: bool) -> Occurrence:
        """Ask a person; returns a timeout if nobody answers in time (platform 9).

        An answer arrives as a signal.
        """
        ...

    async def cancel_step(self, command: CancelStep) -> Occurrence:
        """Stop the rest of an attempt that was made before a restart, with everything that it called."""
        ...

    async def next_signal(self) -> Occurrence:
        """Return the next event from outside: an answer, a cancel request, or a passed deadline."""
        ...

    def now(self) -> str:
        """Return the current time, as recorded in entries."""
        ...

    def record(self, entry: RunEntry, state: RunState) -> None:
        """Record an entry and the state after it, at the latest when `flush` returns."""
        ...

    async def flush(self) -> None:
        """Store all recorded entries."""
        ...


async def drive_run(work: RunSnapshot, context: RunContext) -> RunState:
    """Drive a run from its recorded entries to its end; return its final state.

    Raises HaltError, and what the context raises while it records. Any other error of a step is that step's failure.
    """
    state = replay(work.plan, work.entries)
    return await _RunDriver(work, context, state).run_to_end()


class _RunDriver:
    def __init__(self, work: RunSnapshot, context: RunContext, state: RunState) -> None:
        self._plan = work.plan
        self._inputs = work.run.inputs
        self._context = context
        self._state = state
        self._count = len(work.entries)
        self._occurrences: asyncio.Queue[Occurrence | HaltError] = asyncio.Queue()
        self._tasks: dict[str, asyncio.Task[Occurrence]] = {}

    async def run_to_end(self) -> RunState:
        listener = asyncio.create_task(self._listen())
        try:
            self._resume()
            await asyncio.sleep(0)  # signals that are there come before the first step
            self._apply_queued()
            while self._state.phase not in ENDED_PHASES:
                self._advance()
                if self._state.phase not in ENDED_PHASES:
                    await self._apply_occurrences()
        finally:
            listener.cancel()
            for task in self._tasks.values():
                task.cancel()
        await self._context.flush()
        return self._state

    def _resume(self) -> None:
        if self._state.phase == "new":
            self._apply(Occurrence(RunStarted(inputs=self._inputs)))
            return
        for command in recorded_commands(self._plan, self._state, SEMANTICS):
            self._execute(command, again=True)

    def _advance(self) -> None:
        """Execute commands until there are none: a skipped step may let the next one start."""
        while commands := decide(self._plan, self._state, SEMANTICS):
            for command in commands:
                if self._apply(Occurrence(event_of_command(command))):
                    self._execute(command, again=False)

    async def _apply_occurrences(self) -> None:
        """Wait for an event, then apply all queued events, so that they need one decision."""
        self._apply(await self._occurrences.get())
        self._apply_queued()

    def _apply_queued(self) -> None:
        while not self._occurrences.empty():
            self._apply(self._occurrences.get_nowait())

    def _apply(self, occurrence: Occurrence | HaltError) -> bool:
        """Apply and record an event; return whether it changed anything."""
        if isinstance(occurrence, HaltError):
            raise occurrence
        after = apply_event(self._plan, self._state, occurrence.event)
        if after is self._state:
            return False
        self._state = after
        self._count += 1
        self._context.record(
            RunEntry(n=self._count, at=self._context.now(), event=occurrence.event, about=occurrence.about), self._state
        )
        if isinstance(occurrence.event, AnswerGiven) and (question := self._tasks.get(occurrence.event.step)):
            question.cancel()
        return True

    def _execute(self, command: RunCommand, *, again: bool) -> None:
        match command:
            case StartJob():
                self._start(command.step, command.attempt, self._context.run_job(command, again=again))
            case StartProcess() | StartLoop():
                self._start(command.step, command.attempt, self._context.run_process(command, again=again))
            case StartWait():
                self._start(command.step, command.attempt, self._context.wait(command, again=again))
            case AskPerson():
                self._start(command.step, command.attempt, self._context.ask_person(command, again=again))
            case CancelStep():
                self._stop(command)
            case _:
                pass

    def _start(self, step: str, attempt: int, work: Coroutine[Any, Any, Occurrence]) -> None:
        task = self._tasks[step] = asyncio.create_task(work)
        task.add_done_callback(lambda done: self._on_attempt_ended(step, attempt, done))

    def _on_attempt_ended(self, step: str, attempt: int, task: asyncio.Task[Occurrence]) -> None:
        """Turn the end of an attempt into an event of its step."""
        self._tasks.pop(step, None)
        if task.cancelled():
            occurrence = Occurrence(StepStopped(step=step))
        elif (error := task.exception()) is not None:
            occurrence = error if isinstance(error, HaltError) else Occurrence(_defect_event(step, attempt, error))
        else:
            occurrence = task.result()
        self._occurrences.put_nowait(occurrence)

    def _stop(self, command: CancelStep) -> None:
        task = self._tasks.get(command.step)
        if task is None:  # it was started before a restart
            attempt = self._state.steps[self._plan.positions[command.step]].attempts
            self._start(command.step, attempt, self._context.cancel_step(command))
        else:
            task.cancel()

    async def _listen(self) -> None:
        while True:
            self._occurrences.put_nowait(await self._context.next_signal())


def _defect_event(step: str, attempt: int, error: BaseException) -> HistoryEvent:
    message = f"unexpected {type(error).__name__}: {error}"
    return StepFailed(step=step, attempt=attempt, error=AttemptFailure(code="defect", message=message[:2000]))
