"""Carries a run out on whatever engine: asks the interpreter what is next, has it done, records what happened.

The same loop runs in the process, in a durable workflow and inside a replayed one, so it takes nothing from outside but
through its lane: no clock, no ids, no randomness, and events are handled in the order in which the lane gives them.
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
    StartProcess,
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
    """What an engine gives one run while it is carried out. What it is asked to do ends as an event of that step.

    `again` says that the same attempt may have been made before a restart. Each may be cancelled, and is then over.
    """

    async def run_job(self, command: StartJob, *, again: bool) -> Occurrence:
        """Have a worker make the call, within its timeout, after its delay."""
        ...

    async def run_process(self, command: StartProcess, *, again: bool) -> Occurrence:
        """Have a run of the other Process carried out, to its end."""
        ...

    async def ask_person(self, command: AskPerson, *, again: bool) -> Occurrence:
        """Have the question put; that nobody answered it in time (platform 9). An answer comes as a signal."""
        ...

    async def cancel_step(self, command: CancelStep) -> Occurrence:
        """Have stopped what was left of an attempt that was made before a restart, with all that it called."""
        ...

    async def next_signal(self) -> Occurrence:
        """The next thing from outside: an answer, that the run be cancelled, that its time is over."""
        ...

    def now(self) -> str:
        """The instant that entries get."""
        ...

    def record(self, entry: RunEntry, state: RunState) -> None:
        """Keep an entry, and where the run stands after it; at the latest when `settle` returns."""
        ...

    async def flush(self) -> None:
        """Have everything kept that was recorded."""
        ...


async def drive_run(work: RunSnapshot, lane: RunContext) -> RunState:
    """Carry a run out to its end, from wherever its entries left it; the state in which it ended.

    Raises HaltError, and what the lane raises while it records; what else a step raises is that step's failure.
    """
    state = replay(work.plan, work.entries)
    return await _Conducting(work, lane, state).to_the_end()


class _Conducting:
    def __init__(self, work: RunSnapshot, lane: RunContext, state: RunState) -> None:
        self._plan = work.plan
        self._inputs = work.run.inputs
        self._lane = lane
        self._state = state
        self._count = len(work.entries)
        self._happened: asyncio.Queue[Occurrence | HaltError] = asyncio.Queue()
        self._tasks: dict[str, asyncio.Task[Occurrence]] = {}

    async def to_the_end(self) -> RunState:
        outside = asyncio.create_task(self._listen())
        try:
            self._resume()
            while self._state.phase not in ENDED_PHASES:
                self._advance()
                if self._state.phase not in ENDED_PHASES:
                    await self._take_what_happened()
        finally:
            outside.cancel()
            for task in self._tasks.values():
                task.cancel()
        await self._lane.flush()
        return self._state

    def _resume(self) -> None:
        if self._state.phase == "new":
            self._take(Occurrence(RunStarted(inputs=self._inputs)))
            return
        for command in recorded_commands(self._plan, self._state, SEMANTICS):
            self._act(command, again=True)

    def _advance(self) -> None:
        """Until nothing more is to be done now: a step that is skipped may let the next one begin."""
        while commands := decide(self._plan, self._state, SEMANTICS):
            for command in commands:
                if self._take(Occurrence(event_of_command(command))):
                    self._act(command, again=False)

    async def _take_what_happened(self) -> None:
        """At least one event, and all that are there: so that many which end together are decided on once."""
        self._take(await self._happened.get())
        while not self._happened.empty():
            self._take(self._happened.get_nowait())

    def _take(self, happened: Occurrence | HaltError) -> bool:
        """Whether the event changed anything; if so it is recorded."""
        if isinstance(happened, HaltError):
            raise happened
        after = apply_event(self._plan, self._state, happened.event)
        if after is self._state:
            return False
        self._state = after
        self._count += 1
        self._lane.record(
            RunEntry(n=self._count, at=self._lane.now(), event=happened.event, about=happened.about), self._state
        )
        if isinstance(happened.event, AnswerGiven) and (asked := self._tasks.get(happened.event.step)):
            asked.cancel()
        return True

    def _act(self, command: RunCommand, *, again: bool) -> None:
        match command:
            case StartJob():
                self._begin(command.step, command.attempt, self._lane.run_job(command, again=again))
            case StartProcess():
                self._begin(command.step, command.attempt, self._lane.run_process(command, again=again))
            case AskPerson():
                self._begin(command.step, command.attempt, self._lane.ask_person(command, again=again))
            case CancelStep():
                self._stop(command)
            case _:
                pass

    def _begin(self, step: str, attempt: int, work: Coroutine[Any, Any, Occurrence]) -> None:
        task = self._tasks[step] = asyncio.create_task(work)
        task.add_done_callback(lambda done: self._over(step, attempt, done))

    def _over(self, step: str, attempt: int, task: asyncio.Task[Occurrence]) -> None:
        """Whatever an attempt ended with is an event of its step."""
        self._tasks.pop(step, None)
        if task.cancelled():
            happened = Occurrence(StepStopped(step=step))
        elif (error := task.exception()) is not None:
            happened = error if isinstance(error, HaltError) else Occurrence(_defect(step, attempt, error))
        else:
            happened = task.result()
        self._happened.put_nowait(happened)

    def _stop(self, command: CancelStep) -> None:
        task = self._tasks.get(command.step)
        if task is None:  # it was under way before a restart
            attempt = self._state.steps[self._plan.positions[command.step]].attempts
            self._begin(command.step, attempt, self._lane.cancel_step(command))
        else:
            task.cancel()

    async def _listen(self) -> None:
        while True:
            self._happened.put_nowait(await self._lane.next_signal())


def _defect(step: str, attempt: int, error: BaseException) -> HistoryEvent:
    said = f"{type(error).__name__} where none should be: {error}"
    return StepFailed(step=step, attempt=attempt, error=AttemptFailure(code="defect", message=said[:2000]))
