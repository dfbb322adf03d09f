"""What conditions, inputs and templates mean to a run, as functions that it is given; and the values they see."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject
from aeon.platform.processes.running.plan import RunPlan
from aeon.platform.processes.running.state import RunState

RunValues: TypeAlias = Mapping[str, Json]
"""The run's inputs by name, and under `step` the mapping of the steps' variables (platform 6)."""


class Semantics(NamedTuple):
    """Three pure functions. An AeonError that one raises fails the step, or for `render` the run, in its own words."""

    holds: Callable[[str, RunValues], bool]
    """Whether a condition is true."""
    bind: Callable[[JsonObject, RunValues], JsonObject]
    """A step's inputs with every reference replaced, types kept."""
    render: Callable[[str, RunValues], Json]
    """The output template's result."""


class StepVariables(Mapping[str, Json]):
    """The variables of all steps in the stages before the present one, looked up in the state as they are asked for.

    Those of the present stage are not among them: which of them are there already depends on who is faster.
    """

    def __init__(self, plan: RunPlan, state: RunState) -> None:
        self._plan = plan
        self._steps = state.steps
        begins = plan.stages[state.stage].start if state.stage < len(plan.stages) else len(plan.steps)
        self._settled = range(begins)

    def __getitem__(self, name: str) -> Json:
        position = self._plan.producers[name]
        if position not in self._settled:
            raise KeyError(name)
        return self._steps[position].value

    def __iter__(self) -> Iterator[str]:
        return (self._plan.steps[position].output.variable for position in self._settled)

    def __len__(self) -> int:
        return len(self._settled)


def visible_values(plan: RunPlan, state: RunState) -> RunValues:
    """What may be referred to now."""
    return {**state.inputs, "step": StepVariables(plan, state)}
