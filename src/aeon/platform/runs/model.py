"""Records of runs besides their events, and the jobs and results that workers exchange."""

from datetime import datetime
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from aeon.base.json import JsonObject, canonical_json
from aeon.platform.catalog.operations import Effect
from aeon.platform.records import Record
from aeon.platform.runs.machine.events import HistoryEvent, StepCompleted, StepFailed, StepTimedOut
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunPhase

HEARTBEAT_INTERVAL = 30.0
HEARTBEAT_TIMEOUT = 90.0
"""Seconds (platform 10)."""

DETACHED: Final = "detached"
"""The executor of a run that was accepted for any worker: the first one adopts it."""

Priority: TypeAlias = Literal["high", "normal", "low"]
"""The order in which the jobs of a run are executed while workers are busy (`workers.fairness`)."""

RunTrigger: TypeAlias = Literal["user", "schedule", "process", "retry", "call"]
"""What started a run; `call` is the event of another program, which a webhook took."""


class RunSummary(Record):
    """A run without its inputs, which may be large.

    Its definition is fixed when it is accepted; its events determine `phase` and the fields after it. `pins` are the
    digests of all Processes that it may call, by id, so that later edits never affect it. `weight` is that of its owner
    when it was accepted, `language` the version of the language of Processes that its executor must know. `executor` is
    the current executor, empty for none. `events` is the number of its entries.
    """

    stored_as_text: ClassVar[frozenset[str]] = frozenset({"pins", "failure", "tags"})

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
    tags: dict[str, str] = Field(default={})
    priority: Priority = "normal"
    weight: int = 1
    language: int = 1

    @property
    def seconds(self) -> float | None:
        """How long it took from its acceptance to its end; None while it is open."""
        if self.ended_at is None:
            return None
        duration = datetime.fromisoformat(self.ended_at) - datetime.fromisoformat(self.accepted_at)
        return max(0.0, duration.total_seconds())


class Run(RunSummary):
    """One run of a Process."""

    stored_as_text: ClassVar[frozenset[str]] = RunSummary.stored_as_text | {"inputs"}

    inputs: JsonObject


class RunFilter(NamedTuple):
    """Which runs are listed: in one phase, of one Process (its name or id), accepted at an instant or later.

    None does not filter. `since` and `before` are ISO 8601 in UTC with microseconds, so that instants compare as texts.
    `prefix` is the beginning of an id, `code` that of a failure, `tag` a name or `name=value`. `text` is looked for in
    inputs, failures and tags, in small and capital letters alike. `unretried` leaves out runs that were retried.
    """

    phase: RunPhase | None = None
    process: str | None = None
    since: str = ""
    prefix: str = ""
    before: str | None = None
    code: str | None = None
    tag: str | None = None
    text: str | None = None
    unretried: bool = False

    def as_params(self) -> JsonObject:
        """Return the parameters of the query; texts become patterns over the JSON in which they are stored."""
        name, equals, value = (self.tag or "").partition("=")
        tag = f"{canonical_json(name)}:{canonical_json(value) if equals else ''}"
        return {
            "phase": self.phase,
            "process": self.process,
            "since": self.since,
            "prefix": self.prefix,
            "before": self.before,
            "code": None if self.code is None else _containing(f'"code":{canonical_json(self.code)}'),
            "tag": None if self.tag is None else _containing(tag),
            "unretried": int(self.unretried),
            "text": None if self.text is None else _containing(canonical_json(self.text)[1:-1].lower()),
        }


def _containing(text: str) -> str:
    """Return the pattern of SQL's LIKE for what contains a text."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


ALL_RUNS = RunFilter()


class RunPosition(NamedTuple):
    """A place in the list of a user's runs, newest first."""

    accepted_at: str
    id: str


NEWEST_RUN = RunPosition("9999", "")
"""The place before the newest run."""


class RunEntry(Record):
    """One event of a run. Entries are numbered from 1 without gaps, and never change.

    `about` holds details outside the event itself: the worker, the duration, the tool's warnings.
    """

    n: int = Field(ge=1)
    at: str
    event: Annotated[HistoryEvent, Field(discriminator="event")]
    about: JsonObject = Field(default={})


class Occurrence(NamedTuple):
    """An event from outside, with details to record."""

    event: HistoryEvent
    about: JsonObject = {}  # noqa: RUF012  # never mutated


class RunSnapshot(NamedTuple):
    """Everything needed to execute a run from its start or from its last entry.

    `is_new`: it was just accepted for this executor, so that nobody can have sent it a signal.
    """

    run: Run
    plan: RunPlan
    entries: list[RunEntry]
    is_new: bool = False


class Job(Record):
    """One attempt at a step, for a worker of that type; `id` is `RUN:STEP:ATTEMPT`.

    `process` is the id of the run's Process; jobs of earlier versions have none. `weight` is that of the user,
    `needs` what the worker must offer (`catalog.needs`). A service recognizes a repeated call by `call_key`.
    """

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
    process: str = ""
    priority: Priority = "normal"
    weight: int = 1
    needs: tuple[str, ...] = ()
    call_key: str = ""


class JobResult(Record):
    """The result of a job, or of a run that a step started, as it is sent back and recorded."""

    event: Annotated[StepCompleted | StepFailed | StepTimedOut, Field(discriminator="event")]
    about: JsonObject = Field(default={})


class RunSignal(Record):
    """A user's request to a run, or the timeout of a question, kept until it is applied.

    `id` is unique, so that a request is applied once; an answer and the timeout have that of their question.
    """

    id: str
    run_id: str
    at: str
    event: Annotated[HistoryEvent, Field(discriminator="event")]
