"""The events of a run, as records: its whole state follows from them in their order."""

from functools import cache
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.records import Record


def _is_none(value: object) -> bool:
    return value is None


AttemptNumber: TypeAlias = Annotated[int, Field(ge=1)]
TokenCount: TypeAlias = Annotated[int, Field(ge=0)]


class AttemptFailure(Record):
    """Why an attempt failed. `transient`: it may succeed if repeated later.

    `may_have_happened` is False only if it is certain that the call had no effect, as when nothing was sent. `refused`:
    the service answered that it did not do what the call asked for.
    """

    code: str
    message: str
    next_step: str = ""
    transient: bool = False
    may_have_happened: bool = True
    refused: bool = Field(default=False, exclude_if=lambda value: not value)

    @classmethod
    def from_error(cls, error: AeonError) -> "AttemptFailure":
        """Return the failure of an Aeon error: final, and without effect."""
        return cls(code=type(error).__name__, message=error.message, next_step=error.advice, may_have_happened=False)


class RunFailure(Record):
    """Why a run failed and what to do next, with the step that caused it, if one did."""

    code: str
    message: str
    next_step: str
    step: str | None = None
    target: str | None = None
    attempts: int = 0
    cause: AttemptFailure | None = None
    compensation: Literal["complete", "incomplete"] | None = Field(default=None, exclude_if=_is_none)
    """Whether all that was to be undone is; None if nothing was."""


class RunStarted(Record):
    """The run was started with the inputs that its definition requires."""

    event: Literal["run_started"] = "run_started"
    inputs: JsonObject


class _StepEvent(Record):
    """An event of one step."""

    step: str


class AttemptStarted(_StepEvent):
    """An attempt was started: a job, a run of another Process, or a question to a person."""

    event: Literal["step_started"] = "step_started"
    job: str
    attempt: AttemptNumber
    asks: str | None = Field(default=None, exclude_if=_is_none)
    """The user who is asked, if it is not the one whom the plan names."""


class StepCompleted(_StepEvent):
    """An attempt succeeded, which counts even if a later one is running.

    `tokens` is what it used.
    """

    event: Literal["step_completed"] = "step_completed"
    attempt: AttemptNumber
    output: Json
    tokens: TokenCount = 0


class StepFailed(_StepEvent):
    """An attempt failed. The rules decide whether it is retried (platform 10)."""

    event: Literal["step_failed"] = "step_failed"
    attempt: AttemptNumber
    error: AttemptFailure
    tokens: TokenCount = 0


class StepSkipped(_StepEvent):
    """The step's condition was false."""

    event: Literal["step_skipped"] = "step_skipped"
    reason: str


class StepRefused(_StepEvent):
    """The step could not be started: its condition or inputs failed, or it was nested too deeply."""

    event: Literal["step_refused"] = "step_refused"
    error: AttemptFailure


class AnswerGiven(_StepEvent):
    """A person answered a manual step. The first answer counts."""

    event: Literal["answer_given"] = "answer_given"
    by: str
    answer: Json


class StepTimedOut(_StepEvent):
    """An attempt did not end in time and was stopped, or nobody answered. It is not retried."""

    event: Literal["timed_out"] = "timed_out"
    attempt: AttemptNumber


class StepStopping(_StepEvent):
    """A step of a closing run was asked to stop."""

    event: Literal["step_stopping"] = "step_stopping"


class StepStopped(_StepEvent):
    """A step of a closing run has stopped without a result."""

    event: Literal["step_stopped"] = "step_stopped"


class CancelRequested(Record):
    """A user cancelled the run."""

    event: Literal["cancel_requested"] = "cancel_requested"
    by: str


class RunPaused(Record):
    """A user paused the run at an instant: what runs goes on, and nothing more starts.

    A restart gives all signals again: one that is not later than the last counts no more. `process` is the id of the
    Process if all of its runs were paused.
    """

    event: Literal["run_paused"] = "run_paused"
    by: str
    at: str
    process: str | None = Field(default=None, exclude_if=_is_none)


class RunUnpaused(Record):
    """A user let a paused run go on, at an instant; with a `process`, only if it was paused with all runs of that."""

    event: Literal["run_unpaused"] = "run_unpaused"
    by: str
    at: str
    process: str | None = Field(default=None, exclude_if=_is_none)


class RunMoved(Record):
    """A user moved the run to another version of its Process: it ends, and the run `to` continues it.

    It counts only in the pause since `paused_at`, in which it was checked, and while nothing of the run is under way.
    `stays_paused`: that was the user's own pause, not one for this, so that the next run is paused, too.
    """

    event: Literal["run_moved"] = "run_moved"
    by: str
    to: str
    paused_at: str
    stays_paused: bool = False


class DeadlinePassed(Record):
    """The run's deadline has passed."""

    event: Literal["deadline_passed"] = "deadline_passed"


class UnwindingStarted(Record):
    """What follows a failure or a cancel request has begun: compensations, failure handlers and final steps."""

    event: Literal["unwinding_started"] = "unwinding_started"


class RunCompleted(Record):
    """The run has its result."""

    event: Literal["run_completed"] = "run_completed"
    output: Json


class RunFailed(Record):
    """The run has ended without a result."""

    event: Literal["run_failed"] = "run_failed"
    error: RunFailure


class RunCancelled(Record):
    """The run has ended after a cancel request."""

    event: Literal["run_cancelled"] = "run_cancelled"


RunEvent: TypeAlias = (
    RunStarted
    | CancelRequested
    | RunPaused
    | RunUnpaused
    | RunMoved
    | DeadlinePassed
    | UnwindingStarted
    | RunCompleted
    | RunFailed
    | RunCancelled
)

StepEvent: TypeAlias = (
    AttemptStarted
    | StepCompleted
    | StepFailed
    | StepSkipped
    | StepRefused
    | AnswerGiven
    | StepTimedOut
    | StepStopping
    | StepStopped
)

HistoryEvent: TypeAlias = RunEvent | StepEvent


@cache
def _event_adapter() -> TypeAdapter[HistoryEvent]:
    """Built at its first use: a command that only lists runs parses no event."""
    return TypeAdapter(Annotated[HistoryEvent, Field(discriminator="event")])


def parse_event(value: Json) -> HistoryEvent:
    """Parse an event from JSON. Raises RuleError with what is wrong with it."""
    try:
        return _event_adapter().validate_python(value)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        path = ".".join(map(str, first["loc"]))
        raise RuleError(
            f"This is not an event of a run: {path or '$'}: {first['msg']}.",
            rule="schema",
            field=path,
            next_step="Look at the run's log: it was changed, or written by another version.",
        ) from None
