"""What travels between a run's workflow, its activities and the engine, as JSON."""

from typing import NamedTuple

from pydantic import Field

from aeon.platform.records import Record
from aeon.platform.runs.machine.commands import StartProcess
from aeon.platform.runs.machine.events import RunFailure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import INITIAL_STEP_STATE, RunPhase, RunState, filled_array
from aeon.platform.runs.model import JobResult, Run, RunEntry, RunSignal, RunSnapshot


class RunWorkflowInput(Record):
    """What a workflow is started with. `room`: events of its record before it begins another one.

    `heartbeat` is in seconds: a worker that is not heard of for so long is given up. `is_continued`: the workflow
    before it had nothing under way when it ended. `is_large`: deciding may take long.
    """

    run: str
    max_history_events: int = Field(ge=1)
    heartbeat: float = Field(gt=0)
    is_continued: bool = False
    is_large: bool = False


class LoadedRun(Record):
    """All that it takes to carry a run out, with what was wanted of it until now."""

    run: Run
    plan: RunPlan
    earlier: list[RunEntry]
    signals: list[RunSignal]

    @property
    def work(self) -> RunSnapshot:
        return RunSnapshot(self.run, self.plan, self.earlier)


class RunProgress(NamedTuple):
    """As much of a run's state as is written down beside its entries."""

    phase: RunPhase
    tokens: int
    error: RunFailure | None

    @classmethod
    def of(cls, state: RunState) -> "RunProgress":
        return cls(state.phase, state.tokens, state.error)


class EntryBatch(Record):
    """Entries to be kept, and where the run stands after the last of them."""

    run: str
    entries: list[RunEntry] = Field(min_length=1)
    phase: RunPhase
    tokens: int
    error: RunFailure | None

    @property
    def state(self) -> RunState:
        """Without its steps, of which nothing is written down: they follow from the entries."""
        return RunState(self.phase, filled_array(INITIAL_STEP_STATE, 0), tokens=self.tokens, error=self.error)


class ChildRunRequest(Record):
    """A step that starts a run of another Process, and the run whose step it is."""

    parent: Run
    command: StartProcess


class ChildRunAcceptance(Record):
    """The run that a step starts; or why it cannot be started."""

    run: str = ""
    refused: JobResult | None = None


class ChildRunResultQuery(Record):
    """What became of a run that a step started?"""

    run: str
    command: StartProcess


class ChildRunResult(Record):
    """What became of it; nothing while it has not ended."""

    done: JobResult | None


class ChildRunCancellation(Record):
    """A run that a step started, and that is to stop; and the run whose step it was."""

    parent: Run
    run: str
