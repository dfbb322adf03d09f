"""The commands of a run. The event of a command is recorded before it is executed."""

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
    UnwindingStarted,
)


class _StartAttempt(Record):
    """An attempt at a step. `timeout` counts in seconds from its start, after `delay` seconds."""

    step: str
    job: str
    attempt: int
    inputs: JsonObject
    timeout: int
    delay: float = 0.0


class StartJob(_StartAttempt):
    """Start a tool call with the id `job` on a worker of that type.

    `tokens` is its token limit, or None.
    """

    command: Literal["start_job"] = "start_job"
    tool: str
    worker: str
    tokens: int | None


class StartProcess(_StartAttempt):
    """Start a run of another Process, with `job` as its id."""

    command: Literal["start_process"] = "start_process"
    process: str
    depth_left: int
    tokens: int | None
    callers: list[str]
    is_closing: bool = False
    """Whether the run that starts it is ending, and its deadline may have passed."""


class StartLoop(_StartAttempt):
    """Start the run of a step's loop, with `job` as its id.

    `inputs` holds the `items`, and the `values` that the step's inputs read besides them. With `undoes`, the items are
    those that the loop with that id has completed, the last one first.
    """

    command: Literal["start_loop"] = "start_loop"
    depth_left: int
    tokens: int | None
    is_closing: bool = False
    undoes: str | None = None


class StartWait(_StartAttempt):
    """Wait for `seconds` from the attempt's start, or until an instant in seconds since 1970."""

    command: Literal["start_wait"] = "start_wait"
    seconds: float | None = None
    until: float | None = None


class AskPerson(_StartAttempt):
    """Ask a person a question with the id `job`: the user `asks`, if given."""

    command: Literal["ask_person"] = "ask_person"
    asks: str | None
    is_assigned: bool = False
    """Whether the step names the user, and not the plan."""


class SkipStep(Record):
    """Skip a step whose condition is false. There is nothing to execute."""

    command: Literal["skip_step"] = "skip_step"
    step: str
    reason: str


class RefuseStep(Record):
    """Let a step fail that cannot be started. There is nothing to execute."""

    command: Literal["refuse_step"] = "refuse_step"
    step: str
    error: AttemptFailure


class CancelStep(Record):
    """Stop an attempt with everything that it called; its end is an event."""

    command: Literal["cancel_step"] = "cancel_step"
    step: str
    job: str


class StartUnwinding(Record):
    """Begin what follows a failure or a cancel request. There is nothing to execute."""

    command: Literal["start_unwinding"] = "start_unwinding"


class FinishRun(Record):
    """End the run with its output."""

    command: Literal["finish"] = "finish"
    output: Json


class FailRun(Record):
    """End the run with its failure."""

    command: Literal["fail"] = "fail"
    error: RunFailure


class EndCancelledRun(Record):
    """End a cancelled run of which nothing runs any more."""

    command: Literal["end_cancelled"] = "end_cancelled"


RunCommand: TypeAlias = (
    StartJob
    | StartProcess
    | StartLoop
    | StartWait
    | AskPerson
    | SkipStep
    | RefuseStep
    | CancelStep
    | StartUnwinding
    | FinishRun
    | FailRun
    | EndCancelledRun
)

StartRun: TypeAlias = StartProcess | StartLoop
"""The commands that start a run of their own."""

StartCommand: TypeAlias = StartJob | StartProcess | StartLoop | StartWait | AskPerson
"""The commands that start an attempt."""


def event_of_command(command: RunCommand) -> HistoryEvent:  # noqa: PLR0911  # one for each kind
    """Return the event of a command, which is executed only if the state accepts the event."""
    match command:
        case AskPerson(is_assigned=True):
            return AttemptStarted(step=command.step, job=command.job, attempt=command.attempt, asks=command.asks)
        case StartJob() | StartProcess() | StartLoop() | StartWait() | AskPerson():
            return AttemptStarted(step=command.step, job=command.job, attempt=command.attempt)
        case SkipStep():
            return StepSkipped(step=command.step, reason=command.reason)
        case RefuseStep():
            return StepRefused(step=command.step, error=command.error)
        case CancelStep():
            return StepStopping(step=command.step)
        case StartUnwinding():
            return UnwindingStarted()
        case FinishRun():
            return RunCompleted(output=command.output)
        case FailRun():
            return RunFailed(error=command.error)
        case EndCancelledRun():
            return RunCancelled()
