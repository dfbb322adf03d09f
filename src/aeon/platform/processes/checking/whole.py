"""A definition with all that is known around it while it is checked: who makes what, what is called, what is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from aeon.base.binding import STEP_PREFIX
from aeon.platform.processes.checking.dependencies import StepDependencies
from aeon.platform.processes.checking.targets import ProcessTarget, TargetLookup, ToolTarget
from aeon.platform.processes.conditions.condition import CompiledCondition, ConditionError, compile_conditions
from aeon.platform.processes.definition import ProcessDefinition, ProcessStep
from aeon.platform.processes.words import join_names


@dataclass(frozen=True)
class CheckContext:
    """A definition, and `called`: what each of its steps calls, None where the user sees nothing of it."""

    definition: ProcessDefinition
    targets: Sequence[ToolTarget | ProcessTarget | None]

    @cached_property
    def dependencies(self) -> StepDependencies:
        return StepDependencies(self.definition.steps)

    @cached_property
    def inputs(self) -> frozenset[str]:
        return frozenset(self.definition.initial_context)

    @cached_property
    def producers(self) -> Mapping[str, int]:
        """The place of the step that gives each variable, the first where several claim to."""
        found: dict[str, int] = {}
        for place, step in enumerate(self.definition.steps):
            found.setdefault(step.output.variable, place)
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        """All that can be named anywhere: inputs as `name`, variables as `step.variable`."""
        return self.inputs | {f"{STEP_PREFIX}.{variable}" for variable in self.producers}

    @cached_property
    def conditions(self) -> Mapping[str, CompiledCondition | ConditionError]:
        """Each condition by its text: compiled, or what is wrong with it."""
        sources = (step.execution.condition for step in self.definition.steps)
        return compile_conditions(dict.fromkeys(source for source in sources if source is not None), self.names)

    def condition(self, place: int) -> CompiledCondition | ConditionError | None:
        source = self.step(place).execution.condition
        return None if source is None else self.conditions[source]

    def step(self, place: int) -> ProcessStep:
        return self.definition.steps[place]

    def reference_problem(self, path: Sequence[str], place: int) -> tuple[str, str] | None:
        """Why the step at `place` cannot read this path, as rule and message (platform 6)."""
        if path[0] != STEP_PREFIX or len(path) == 1:
            if path[0] in self.inputs:
                return None
            return "reference_exists", f"there is no input {path[0]!r}; there are {join_names(sorted(self.inputs))}"
        maker = self.producers.get(path[1])
        if maker is None:
            return "reference_exists", f"no step gives {path[1]!r}; there are {join_names(sorted(self.producers))}"
        if self.dependencies.is_ancestor(maker, place):
            return None
        return "reference_in_chain", self._out_of_reach(maker, place)

    def _out_of_reach(self, maker: int, place: int) -> str:
        made, reads = self.step(maker), self.step(place)
        if maker == place:
            return f"step {reads.id!r} reads its own result"
        advice = (
            f"name {made.id!r} in its dependsOn, or in that of a step it depends on"
            if maker < place
            else "move it up before this one"
        )
        return f"step {reads.id!r} does not depend on {made.id!r}, which gives {made.output.variable!r}: {advice}"


def build_context(definition: ProcessDefinition, targets: TargetLookup, process_id: str | None) -> CheckContext:
    """Look up each thing that the steps call once. A Process that calls itself calls what is about to be saved."""
    tools = {each: targets.tool(each) for each in dict.fromkeys(step.tool for step in definition.steps) if each}
    processes = {
        each: _itself(definition) if each == process_id else targets.process(each)
        for each in dict.fromkeys(step.process for step in definition.steps)
        if each
    }
    return CheckContext(
        definition, [tools.get(step.tool or "") or processes.get(step.process or "") for step in definition.steps]
    )


def _itself(definition: ProcessDefinition) -> ProcessTarget:
    return ProcessTarget(definition.name, tuple(definition.initial_context), definition.digest)
