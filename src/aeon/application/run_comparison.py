"""Two runs of one Process side by side: which steps ended differently, with which inputs and outputs. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.runs.machine.state import RunStepStatus
from aeon.platform.runs.service import RunView
from aeon.platform.runs.trace import AttemptTrace

PARTS: Final = ("status", "inputs", "output", "error")
"""What is compared of a step."""


class StepOutcome(NamedTuple):
    """How a step of a run went: its status, its attempts, and the last one's inputs, output and error."""

    target: str
    status: RunStepStatus
    attempts: int
    inputs: JsonObject | None
    output: Json
    error: JsonObject | None


class ComparedStep(NamedTuple):
    """A step in two runs; None where a run's version of the Process has no such step."""

    id: str
    first: StepOutcome | None
    second: StepOutcome | None

    @property
    def differing(self) -> list[str]:
        """Which of `PARTS` differ; `step` if only one run has the step."""
        first, second = self.first, self.second
        if first is None or second is None:
            return ["step"]
        return [part for part in PARTS if getattr(first, part) != getattr(second, part)]


class RunComparison(NamedTuple):
    """Two runs, and their steps in the order of the second one, then those that the first has alone."""

    first: RunView
    second: RunView
    steps: list[ComparedStep]

    @property
    def differing_inputs(self) -> list[str]:
        """The names of the inputs that differ."""
        before, after = self.first.run.inputs, self.second.run.inputs
        return [
            name
            for name in dict.fromkeys([*after, *before])
            if before.get(name) != after.get(name) or (name in before) != (name in after)
        ]


def compare_runs(
    first: RunView, traces: Sequence[AttemptTrace], second: RunView, other_traces: Sequence[AttemptTrace]
) -> RunComparison:
    """Compare two runs with their attempts. Raises RuleError for runs of two Processes."""
    if first.run.process_id != second.run.process_id:
        raise RuleError(
            f"The runs are of two Processes: {first.run.process_name!r} and {second.run.process_name!r}.",
            rule="same_process",
            next_step="Name another run of the same Process.",
        )
    before, after = _outcomes(first, traces), _outcomes(second, other_traces)
    ids = dict.fromkeys([*after, *before])
    return RunComparison(first, second, [ComparedStep(id_, before.get(id_), after.get(id_)) for id_ in ids])


def _outcomes(view: RunView, traces: Sequence[AttemptTrace]) -> dict[str, StepOutcome]:
    """The outcome of each step by its id. A step that never started has an attempt of the number 0."""
    last = {trace.step: trace for trace in traces}
    found: dict[str, StepOutcome] = {}
    for step, state in zip(view.plan.steps, view.state.steps, strict=True):
        target, trace = view.plan.call_of(step.id).name, last.get(step.id)
        if trace is None:
            found[step.id] = StepOutcome(target, state.status, 0, None, None, None)
        else:
            found[step.id] = StepOutcome(target, state.status, trace.attempt, trace.inputs, trace.output, trace.error)
    return found
