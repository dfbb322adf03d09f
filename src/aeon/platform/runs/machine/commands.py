"""What a run wants done next, as records. Each says which event is recorded for it, first; then it is done."""

from typing import Literal, TypeAlias

from aeon.base.json import Json, JsonObject
from aeon.platform.records import Record
from aeon.platform.runs.machine.events import (
    AttemptFailure,
    AttemptStarted,
    HistoryEvent,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunFailure,
    StepRefused,
    StepSkipped,
    StepStopping,
)


class _Begin(Record):
    """An attempt at a step. `timeout` is in seconds from its beginning; `delay`, too, is to pass before that."""

    step: str
    job: str
    attempt: int
    inputs: JsonObject
    timeout: int
    delay: float = 0.0


class StartJob(_Begin):
    """Give a worker of that type a call of a tool, known by `job`. `tokens`: what it may use, if that is limited."""

    command: Literal["start_job"] = "start_job"
    tool: str
    worker: str
    tokens: int | None


class StartProcess(_Begin):
    """Start a run of another Process, with `job` as its id."""

    command: Literal["start_process"] = "start_process"
    process: str
    depth_left: int
    tokens: int | None
    callers: list[str]


class AskPerson(_Begin):
    """Put a question, known by `job`, to a person: to `asks`, if that is said."""

    command: Literal["ask_person"] = "ask_person"
    asks: str | None


class SkipStep(Record):
    """Leave a step out, since its condition is false. Nothing else is to be done."""

    command: Literal["skip_step"] = "skip_step"
    step: str
    reason: str


class RefuseStep(Record):
    """Let a step fail that cannot even be started. Nothing else is to be done."""

    command: Literal["refuse_step"] = "refuse_step"
    step: str
    error: AttemptFailure


class CancelStep(Record):
    """Stop an attempt, with everything below it; when it has stopped, that is an event."""

    command: Literal["cancel_step"] = "cancel_step"
    step: str
    job: str


class FinishRun(Record):
    """End the run with its output."""

    command: Literal["finish"] = "finish"
    output: Json


class FailRun(Record):
    """End the run with what went wrong."""

    command: Literal["fail"] = "fail"
    error: RunFailure


class EndCancelledRun(Record):
    """End the run that was cancelled: nothing of it runs any more."""

    command: Literal["end_cancelled"] = "end_cancelled"


RunCommand: TypeAlias = (
    StartJob | StartProcess | AskPerson | SkipStep | RefuseStep | CancelStep | FinishRun | FailRun | EndCancelledRun
)


def event_of_command(command: RunCommand) -> HistoryEvent:  # noqa: PLR0911  # one for each kind
    """The event of carrying a command out. It is recorded first, and the command done only if the event was taken."""
    match command:
        case StartJob() | StartProcess() | AskPerson():
            return AttemptStarted(step=command.step, job=command.job, attempt=command.attempt)
        case SkipStep():
            return StepSkipped(step=command.step, reason=command.reason)
        case RefuseStep():
            return StepRefused(step=command.step, error=command.error)
        case CancelStep():
            return StepStopping(step=command.step)
        case FinishRun():
            return RunCompleted(output=command.output)
        case FailRun():
            return RunFailed(error=command.error)
        case EndCancelledRun():
            return RunCancelled()
