"""Rebuilds the inputs and the outcome of each attempt of a run from its entries alone. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from aeon.base.json import Json, JsonObject
from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.commands import AskPerson, StartJob, StartProcess
from aeon.platform.runs.machine.decide import decide
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptStarted,
    StepCompleted,
    StepEvent,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStopped,
    StepTimedOut,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunState, initial_state
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.semantics import SEMANTICS


@dataclass
class AttemptTrace:
    """One attempt at a step.

    `inputs` are the bound ones. `ended_at` is None while it is running, and `ended_by` is the number of the entry that
    ended it.
    """

    step: str
    attempt: int
    job: str
    started_at: str
    inputs: JsonObject = field(default_factory=dict[str, Json])
    ended_at: str | None = None
    ended_by: int = 0
    outcome: str = "running"
    output: Json = None
    error: JsonObject | None = None
    tokens: int = 0
    about: JsonObject = field(default_factory=dict[str, Json])


def trace_attempts(plan: RunPlan, entries: Iterable[RunEntry]) -> list[AttemptTrace]:
    """Return all attempts of a run in starting order; steps that never started have attempt 0."""
    builder = TraceBuilder(plan)
    for entry in entries:
        builder.take(entry)
    return builder.found


class TraceBuilder:
    """Rebuilds attempts entry by entry. `found` are those of the entries so far; the caller may empty it."""

    def __init__(self, plan: RunPlan) -> None:
        self.found: list[AttemptTrace] = []
        self._plan = plan
        self._state: RunState = initial_state(plan)
        self._inputs: dict[str, JsonObject] = {}
        self._open: dict[str, AttemptTrace] = {}

    def take(self, entry: RunEntry) -> None:
        """Continue with the next entry."""
        event = entry.event
        if isinstance(event, AttemptStarted):
            self._start(event, entry)
        elif isinstance(event, StepSkipped | StepRefused):
            self._add_unstarted(event, entry)
        elif isinstance(event, StepEvent):
            self._end(event, entry)
        self._state = apply_event(self._plan, self._state, event)

    def _start(self, event: AttemptStarted, entry: RunEntry) -> None:
        if event.job not in self._inputs:
            commands = decide(self._plan, self._state, SEMANTICS)
            starts = (each for each in commands if isinstance(each, StartJob | StartProcess | AskPerson))
            self._inputs |= {each.job: each.inputs for each in starts}
        inputs = self._inputs.pop(event.job, {})
        attempt = AttemptTrace(event.step, event.attempt, event.job, entry.at, inputs, about=dict(entry.about))
        self._open[event.step] = attempt
        self.found.append(attempt)

    def _add_unstarted(self, event: StepSkipped | StepRefused, entry: RunEntry) -> None:
        attempt = AttemptTrace(event.step, 0, "", entry.at, ended_at=entry.at, ended_by=entry.n)
        if isinstance(event, StepSkipped):
            attempt.outcome, attempt.error = "skipped", {"message": event.reason}
        else:
            attempt.outcome, attempt.error = "refused", event.error.as_dict()
        self.found.append(attempt)

    def _end(self, event: StepEvent, entry: RunEntry) -> None:
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
            case StepTimedOut():
                attempt.outcome = "timed out"
            case StepStopped():
                attempt.outcome = "stopped"
            case _:
                return
        attempt.ended_at, attempt.ended_by = entry.at, entry.n
        del self._open[event.step]
