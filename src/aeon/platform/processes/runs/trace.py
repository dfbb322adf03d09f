"""What each attempt of a run was given and came to, worked out from the run's entries alone. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from aeon.base.json import Json, JsonObject
from aeon.platform.processes.meaning import MEANING
from aeon.platform.processes.running.apply import apply
from aeon.platform.processes.running.commands import AskPerson, StartJob, StartProcess
from aeon.platform.processes.running.events import (
    AnswerGiven,
    StepCompleted,
    StepEvent,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStarted,
    StepStopped,
    TimedOut,
)
from aeon.platform.processes.running.interpreter import decide
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.state import State, begun
from aeon.platform.processes.runs.model import Entry


@dataclass
class Attempt:
    """One attempt at a step. `inputs` are as they were bound; `ended_at` is None while it is under way."""

    step: str
    attempt: int
    job: str
    started_at: str
    inputs: JsonObject = field(default_factory=dict[str, Json])
    ended_at: str | None = None
    outcome: str = "running"
    output: Json = None
    error: JsonObject | None = None
    tokens: int = 0
    about: JsonObject = field(default_factory=dict[str, Json])


def attempts(plan: Plan, entries: Iterable[Entry]) -> list[Attempt]:
    """All attempts of a run in the order in which they were begun, and what was never begun as attempt 0."""
    tracing = _Tracing(plan)
    for entry in entries:
        tracing.take(entry)
    return tracing.found


class _Tracing:
    def __init__(self, plan: Plan) -> None:
        self.found: list[Attempt] = []
        self._plan = plan
        self._state: State = begun(plan)
        self._inputs: dict[str, JsonObject] = {}
        self._open: dict[str, Attempt] = {}

    def take(self, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, StepStarted):
            self._begin(event, entry)
        elif isinstance(event, StepSkipped | StepRefused):
            self._left_out(event, entry)
        elif isinstance(event, StepEvent):
            self._end(event, entry)
        self._state = apply(self._plan, self._state, event)

    def _begin(self, event: StepStarted, entry: Entry) -> None:
        if event.job not in self._inputs:
            commands = decide(self._plan, self._state, MEANING)
            begins = (each for each in commands if isinstance(each, StartJob | StartProcess | AskPerson))
            self._inputs |= {each.job: each.inputs for each in begins}
        inputs = self._inputs.pop(event.job, {})
        attempt = Attempt(event.step, event.attempt, event.job, entry.at, inputs, about=dict(entry.about))
        self._open[event.step] = attempt
        self.found.append(attempt)

    def _left_out(self, event: StepSkipped | StepRefused, entry: Entry) -> None:
        attempt = Attempt(event.step, 0, "", entry.at, ended_at=entry.at)
        if isinstance(event, StepSkipped):
            attempt.outcome, attempt.error = "skipped", {"message": event.reason}
        else:
            attempt.outcome, attempt.error = "refused", event.error.as_dict()
        self.found.append(attempt)

    def _end(self, event: StepEvent, entry: Entry) -> None:
        attempt = self._open.get(event.step)
        if attempt is None:
            return
        attempt.about |= entry.about
        match event:
            case StepCompleted():
                attempt.outcome, attempt.output, attempt.tokens = "completed", event.output, event.tokens
            case AnswerGiven():
                attempt.outcome, attempt.output = "answered", event.answer
                attempt.about["by"] = event.by
            case StepFailed():
                attempt.outcome, attempt.error, attempt.tokens = "failed", event.error.as_dict(), event.tokens
            case TimedOut():
                attempt.outcome = "timed out"
            case StepStopped():
                attempt.outcome = "stopped"
            case _:
                return
        attempt.ended_at = entry.at
        del self._open[event.step]
