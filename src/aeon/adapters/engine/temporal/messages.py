"""What travels between a run's workflow, its activities and the engine, as JSON."""

from typing import NamedTuple

from pydantic import Field

from aeon.platform.processes.running.commands import StartProcess
from aeon.platform.processes.running.events import RunFailure
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.row import row_of
from aeon.platform.processes.running.state import UNTOUCHED, Phase, State
from aeon.platform.processes.runs.model import Done, Entry, Run, Signal, Work
from aeon.platform.records import Record


class Begin(Record):
    """What a workflow is started with. `room`: events of its record before it begins another one.

    `heartbeat` is in seconds: a worker that is not heard of for so long is given up. `is_continued`: the workflow
    before it had nothing under way when it ended. `is_large`: deciding may take long.
    """

    run: str
    room: int = Field(ge=1)
    heartbeat: float = Field(gt=0)
    is_continued: bool = False
    is_large: bool = False


class Loaded(Record):
    """All that it takes to carry a run out, with what was wanted of it until now."""

    run: Run
    plan: Plan
    earlier: list[Entry]
    signals: list[Signal]

    @property
    def work(self) -> Work:
        return Work(self.run, self.plan, self.earlier)


class Standing(NamedTuple):
    """As much of a run's state as is written down beside its entries."""

    phase: Phase
    tokens: int
    error: RunFailure | None

    @classmethod
    def of(cls, state: State) -> "Standing":
        return cls(state.phase, state.tokens, state.error)


class Batch(Record):
    """Entries to be kept, and where the run stands after the last of them."""

    run: str
    entries: list[Entry] = Field(min_length=1)
    phase: Phase
    tokens: int
    error: RunFailure | None

    @property
    def state(self) -> State:
        """Without its steps, of which nothing is written down: they follow from the entries."""
        return State(self.phase, row_of(UNTOUCHED, 0), tokens=self.tokens, error=self.error)


class Calling(Record):
    """A step that starts a run of another Process, and the run whose step it is."""

    parent: Run
    command: StartProcess


class Accepted(Record):
    """The run that a step starts; or why it cannot be started."""

    run: str = ""
    refused: Done | None = None


class Asked(Record):
    """What became of a run that a step started?"""

    run: str
    command: StartProcess


class Became(Record):
    """What became of it; nothing while it has not ended."""

    done: Done | None


class Cancelling(Record):
    """A run that a step started, and that is to stop; and the run whose step it was."""

    parent: Run
    run: str
