"""Messages between a run's workflow, its activities and the engine, as JSON."""

from typing import Annotated, NamedTuple

from pydantic import Field

from aeon.platform.records import Record
from aeon.platform.runs.machine.commands import StartRun
from aeon.platform.runs.machine.events import RunFailure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import INITIAL_STEP_STATE, RunPhase, RunState, filled_array
from aeon.platform.runs.model import JobResult, Run, RunEntry, RunSignal, RunSnapshot


class RunWorkflowInput(Record):
    """The input of a workflow. A new one continues after `max_history_events` events.

    `heartbeat` is in seconds: a worker without a heartbeat for that time is considered lost. `is_continued`: the
    workflow before it had nothing running when it ended. `is_large`: decisions may take long.
    """

    run: str
    max_history_events: int = Field(ge=1)
    heartbeat: float = Field(gt=0)
    is_continued: bool = False
    is_large: bool = False


class LoadedRun(Record):
    """Everything needed to execute a run, with its signals so far."""

    run: Run
    plan: RunPlan
    earlier: list[RunEntry]
    signals: list[RunSignal]

    @property
    def work(self) -> RunSnapshot:
        return RunSnapshot(self.run, self.plan, self.earlier)


class RunProgress(NamedTuple):
    """The part of a run's state that is stored beside its entries."""

    phase: RunPhase
    tokens: int
    error: RunFailure | None

    @classmethod
    def of(cls, state: RunState) -> "RunProgress":
        return cls(state.phase, state.tokens, state.error)


class EntryBatch(Record):
    """Entries to store, and the run's progress after the last of them."""

    run: str
    entries: list[RunEntry] = Field(min_length=1)
    phase: RunPhase
    tokens: int
    error: RunFailure | None

    @property
    def state(self) -> RunState:
        """The state without its steps, which are not stored: they follow from the entries."""
        return RunState(self.phase, filled_array(INITIAL_STEP_STATE, 0), tokens=self.tokens, error=self.error)


class ChildRunRequest(Record):
    """A step that starts a run of another Process, and the step's run."""

    parent: Run
    command: Annotated[StartRun, Field(discriminator="command")]


class ChildRunAcceptance(Record):
    """The id of a child run, or the step's result if it was refused."""

    run: str = ""
    refused: JobResult | None = None


class ChildRunResultQuery(Record):
    """A query for the result of a child run."""

    run: str
    command: Annotated[StartRun, Field(discriminator="command")]


class ChildRunResult(Record):
    """The result of a child run; None until it has ended."""

    done: JobResult | None


class ChildRunCancellation(Record):
    """A child run to cancel, and the run of the step that started it."""

    parent: Run
    run: str
