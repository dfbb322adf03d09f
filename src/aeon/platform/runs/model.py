"""What is kept of a run besides its events, and what goes to a worker and comes back."""

from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import Field

from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import Effect
from aeon.platform.records import Record
from aeon.platform.runs.machine.events import HistoryEvent, StepCompleted, StepFailed, StepTimedOut
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunPhase

HEARTBEAT_INTERVAL = 30.0
HEARTBEAT_TIMEOUT = 90.0
"""Seconds (platform 10)."""

RunTrigger: TypeAlias = Literal["user", "schedule", "process", "retry", "call"]


class RunSummary(Record):
    """A run as lists tell of it: all but its inputs, which may be large.

    What it follows is fixed when it is accepted; `phase` and what follows it its events say.

    `pins` are the digests of all Processes that it may come to call, by id, so that later edits never touch it.
    `executor` is who carries it out now, empty for nobody. `events` counts its entries.
    """

    stored_as_text: ClassVar[frozenset[str]] = frozenset({"pins", "failure"})

    id: str
    owner_id: str
    process_id: str
    process_name: str
    digest: str
    trigger: RunTrigger
    pins: dict[str, str]
    parent_id: str | None = None
    root_id: str
    retry_of: str | None = None
    accepted_at: str
    deadline: float | None = None
    executor: str = ""
    phase: RunPhase = "new"
    events: int = 0
    ended_at: str | None = None
    tokens: int = 0
    failure: JsonObject | None = None


class Run(RunSummary):
    """One run of a Process."""

    stored_as_text: ClassVar[frozenset[str]] = RunSummary.stored_as_text | {"inputs"}

    inputs: JsonObject


class RunEntry(Record):
    """One thing that happened in a run. Entries are numbered from 1 without gaps, and never change.

    `about` is what the event itself does not need: who did it, how long it took, what the tool warned of.
    """

    n: int = Field(ge=1)
    at: str
    event: Annotated[HistoryEvent, Field(discriminator="event")]
    about: JsonObject = Field(default={})


class Occurrence(NamedTuple):
    """An event from outside, with what is worth keeping about it."""

    event: HistoryEvent
    about: JsonObject = {}  # noqa: RUF012  # nobody changes it


class RunSnapshot(NamedTuple):
    """All that it takes to carry a run out: from the beginning, or from where its entries left it."""

    run: Run
    plan: RunPlan
    entries: list[RunEntry]


class Job(Record):
    """One attempt at a step, for a worker of that type. `id` is also the idempotency key of what it calls."""

    id: str
    run_id: str
    step: str
    attempt: int
    user: str
    tool: str
    name: str
    owner: str
    worker: str
    effect: Effect
    inputs: JsonObject
    timeout: int
    tokens: int | None = None


class JobResult(Record):
    """What a job, or the run that a step started, came to: as it travels back and is kept."""

    event: Annotated[StepCompleted | StepFailed | StepTimedOut, Field(discriminator="event")]
    about: JsonObject = Field(default={})


class RunSignal(Record):
    """Something that a person wants of a run, kept until the run has taken it: `id` is unique, so it is taken once."""

    id: str
    run_id: str
    at: str
    event: Annotated[HistoryEvent, Field(discriminator="event")]
