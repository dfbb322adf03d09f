"""What happened in a run, as records: all that a run is follows from them in their order."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.records import Record

AttemptNumber: TypeAlias = Annotated[int, Field(ge=1)]
TokenCount: TypeAlias = Annotated[int, Field(ge=0)]


class AttemptFailure(Record):
    """Why an attempt came to nothing. `transient`: the same again may succeed later.

    `may_have_happened` is false only where it is certain that the call had no effect, as when nothing was sent.
    """

    code: str
    message: str
    next_step: str = ""
    transient: bool = False
    may_have_happened: bool = True

    @classmethod
    def from_error(cls, error: AeonError) -> "AttemptFailure":
        """An error of ours, in its own words: final, and without effect."""
        return cls(code=type(error).__name__, message=error.message, next_step=error.advice, may_have_happened=False)


class RunFailure(Record):
    """Why a run failed, and what to do; with the step that ended it, if one did."""

    code: str
    message: str
    next_step: str
    step: str | None = None
    target: str | None = None
    attempts: int = 0
    cause: AttemptFailure | None = None


class RunStarted(Record):
    """The run was accepted, with the inputs that its definition asks for."""

    event: Literal["run_started"] = "run_started"
    inputs: JsonObject


class _OfStep(Record):
    """Something that happened to one step."""

    step: str


class AttemptStarted(_OfStep):
    """An attempt was given away: a job, a run of another Process, a question to a person."""

    event: Literal["step_started"] = "step_started"
    job: str
    attempt: AttemptNumber


class StepCompleted(_OfStep):
    """An attempt gave its result. It counts when a later attempt is already under way, too. `tokens`: what it used."""

    event: Literal["step_completed"] = "step_completed"
    attempt: AttemptNumber
    output: Json
    tokens: TokenCount = 0


class StepFailed(_OfStep):
    """An attempt failed. Whether there is another one follows from the rules (platform 10)."""

    event: Literal["step_failed"] = "step_failed"
    attempt: AttemptNumber
    error: AttemptFailure
    tokens: TokenCount = 0


class StepSkipped(_OfStep):
    """The step's condition was false."""

    event: Literal["step_skipped"] = "step_skipped"
    reason: str


class StepRefused(_OfStep):
    """The step could not even be started: its condition or inputs could not be worked out, or it stood too deep."""

    event: Literal["step_refused"] = "step_refused"
    error: AttemptFailure


class AnswerGiven(_OfStep):
    """A person answered what a manual step asked. The first answer counts."""

    event: Literal["answer_given"] = "answer_given"
    by: str
    answer: Json


class StepTimedOut(_OfStep):
    """An attempt did not end in its time, and was stopped; or nobody answered. There is no other attempt."""

    event: Literal["timed_out"] = "timed_out"
    attempt: AttemptNumber


class StepStopping(_OfStep):
    """A step of a run that is being closed was told to stop."""

    event: Literal["step_stopping"] = "step_stopping"


class StepStopped(_OfStep):
    """A step of a run that is being closed has stopped without a result."""

    event: Literal["step_stopped"] = "step_stopped"


class CancelRequested(Record):
    """Somebody cancelled the run."""

    event: Literal["cancel_requested"] = "cancel_requested"
    by: str


class DeadlinePassed(Record):
    """The run's time is over."""

    event: Literal["deadline_passed"] = "deadline_passed"


class RunCompleted(Record):
    """The run has its result."""

    event: Literal["run_completed"] = "run_completed"
    output: Json


class RunFailed(Record):
    """The run has ended without a result."""

    event: Literal["run_failed"] = "run_failed"
    error: RunFailure


class RunCancelled(Record):
    """The run has ended as it was asked to."""

    event: Literal["run_cancelled"] = "run_cancelled"


RunEvent: TypeAlias = RunStarted | CancelRequested | DeadlinePassed | RunCompleted | RunFailed | RunCancelled

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

_EVENTS: TypeAdapter[HistoryEvent] = TypeAdapter(Annotated[HistoryEvent, Field(discriminator="event")])


def parse_event(value: Json) -> HistoryEvent:
    """The event of its JSON. Raises RuleError that says what is wrong with it."""
    try:
        return _EVENTS.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        path = ".".join(map(str, first["loc"]))
        raise RuleError(
            f"This is no event of a run: {path or '$'}: {first['msg']}.",
            rule="schema",
            field=path,
            next_step="Look at the run's log: it was changed, or written by another version.",
        ) from None
