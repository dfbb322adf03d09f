"""The definition under check with its dependencies, targets and producers of variables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.checks.targets import ProcessTarget, TargetLookup, ToolTarget
from aeon.platform.processes.expressions.bindings import InputReference, find_references
from aeon.platform.processes.expressions.conditions import (
    CompiledCondition,
    ConditionError,
    compile_conditions,
    compile_expression,
)
from aeon.platform.processes.model import ProcessDefinition, ProcessStep, variables_of
from aeon.platform.processes.sections import SectionName, paths_of, split_sections, undone_steps
from aeon.platform.processes.step_control import FAILURE, RESULT
from aeon.platform.processes.text import join_names


class StepDependencies:
    """The transitive `dependsOn` relation. For a duplicate step id, the first step counts."""

    def __init__(self, definition: ProcessDefinition, paths: Sequence[str]) -> None:
        self.steps = steps = definition.all_steps
        self._paths = paths
        self.positions: dict[str, int] = {}
        for place, step in enumerate(steps):
            self.positions.setdefault(step.id, place)
        self._groups = [number for number, stage in enumerate(split_sections(definition)[1]) for _ in stage]
        self._above = self._ancestors()

    def is_ancestor(self, place: int, below: int) -> bool:
        """Return whether the step at `below` depends on the one at `place` (platform 6).

        The dependency may be indirect.
        """
        return bool(self._above[below] >> place & 1)

    def problems(self) -> Iterator[DefinitionProblem]:
        """Yield every problem of the steps' dependsOn, then the cycles among them."""
        for place, step in enumerate(self.steps):
            for number, needed in enumerate(step.depends_on):
                if problem := self._problem(place, number, needed):
                    yield DefinitionProblem(f"{self._paths[place]}.dependsOn[{number}]", *problem)
        for cycle in self._cycles():
            yield DefinitionProblem(
                f"{self._paths[cycle[0]]}.dependsOn",
                "dependencies_acyclic",
                f"these steps wait for each other: {_chain([self.steps[place].id for place in cycle])}",
            )

    def _problem(self, place: int, number: int, needed: str) -> tuple[str, str] | None:
        step = self.steps[place]
        other = self.positions.get(needed)
        if other is None:
            return "dependency_exists", f"there is no step {needed!r}; there are {join_names(self.positions)}"
        if other == place:
            return "dependency_not_itself", f"step {step.id!r} cannot depend on itself"
        if needed in step.depends_on[:number]:
            return "dependency_once", f"step {needed!r} is named twice"
        if other > place:
            return (
                "dependency_backwards",
                f"step {needed!r} comes after {step.id!r}, and only earlier ones can be named",
            )
        if self._groups[other] == self._groups[place]:
            return (
                "parallel_independent",
                f"{step.id!r} and {needed!r} are parallel to each other, so neither can depend on the other",
            )
        return None

    def _ancestors(self) -> list[int]:
        """Return each step's ancestors as bits of a number, which stays small for 10,000 steps.

        A dependency that points forwards is reported elsewhere; it counts here, so that it is not reported twice.
        """
        above: list[int] = []
        for step in self.steps:
            bits = 0
            for needed in step.depends_on:
                if (other := self.positions.get(needed)) is not None:
                    bits |= 1 << other | (above[other] if other < len(above) else 0)
            above.append(bits)
        return above

    def _cycles(self) -> Iterator[list[int]]:
        """Yield one cycle for each dependency that closes one.

        A cycle is a list of positions with the first one repeated at the end.
        """
        done: set[int] = set()
        for start in range(len(self.steps)):
            if start in done:
                continue
            trail: dict[int, Iterator[int]] = {start: self._needed(start)}
            while trail:
                place = next(reversed(trail))
                following = next((other for other in trail[place] if other not in done), None)
                if following is None:
                    del trail[place]
                    done.add(place)
                elif following in trail:
                    walked = list(trail)
                    yield [*walked[walked.index(following) :], following]
                else:
                    trail[following] = self._needed(following)

    def _needed(self, place: int) -> Iterator[int]:
        """Yield the step's dependencies, except itself.

        A step that depends on itself is reported elsewhere, and only for the first step of its id.
        """
        others = dict.fromkeys(self.positions.get(needed, place) for needed in self.steps[place].depends_on)
        return (other for other in others if other != place)


def _chain(names: Sequence[str]) -> str:
    """Join names with arrows; a long chain is shortened in its middle."""
    shown = names if len(names) <= 12 else [*names[:6], "...", *names[-5:]]  # noqa: PLR2004  # fits a message
    return " -> ".join(shown)


@dataclass(frozen=True)
class CheckContext:
    """A definition and the target of each of its steps, None if the user cannot see the target."""

    definition: ProcessDefinition
    targets: Sequence[ToolTarget | ProcessTarget | None]

    @cached_property
    def steps(self) -> list[ProcessStep]:
        """All steps, in the order of their sections."""
        return self.definition.all_steps

    @cached_property
    def paths(self) -> list[str]:
        """The JSON path of each step."""
        return paths_of(self.definition)

    @cached_property
    def section_of(self) -> list[SectionName]:
        """The section of each step."""
        return [section.name for section in split_sections(self.definition)[0] for _ in section.steps]

    @cached_property
    def dependencies(self) -> StepDependencies:
        return StepDependencies(self.definition, self.paths)

    @cached_property
    def inputs(self) -> frozenset[str]:
        return frozenset(self.definition.input_names)

    @cached_property
    def producers(self) -> Mapping[str, int]:
        """The position of the step that gives each variable, the first one if several do; not of compensations."""
        places: dict[str, int] = {}
        for place, step in enumerate(self.steps):
            if self.section_of[place] != "compensation":
                for variable in variables_of(step):
                    places.setdefault(variable, place)
        return places

    @cached_property
    def names(self) -> frozenset[str]:
        """All names that can be referenced anywhere: inputs as `name`, variables as `step.variable`."""
        return self.inputs | {f"{STEP_PREFIX}.{variable}" for variable in self.producers}

    @cached_property
    def undone(self) -> Mapping[str, int]:
        """The position of the step that each compensation undoes, by the compensation's id."""
        positions = self.dependencies.positions
        return {undo: positions[step] for undo, step in undone_steps(self.definition).items()}

    def local_names(self, place: int, *, in_inputs: bool = True) -> frozenset[str]:
        """Return the names that only this step can read, with those of its inputs: the item of its loop, a result."""
        step, names = self.step(place), set[str]()
        if self.section_of[place] != "main":
            names.add(FAILURE)
        if in_inputs and step.for_each is not None:
            names.add(step.for_each.as_)
        if in_inputs and step.id in self.undone:
            names.add(RESULT)
        return frozenset(names)

    @cached_property
    def conditions(self) -> Mapping[str, CompiledCondition | ConditionError]:
        """Each condition by its text: compiled, or its error. A failure can be read in some; the others are checked."""
        sources = (step.execution.condition for step in self.steps)
        names = self.names | {FAILURE}
        return compile_conditions(dict.fromkeys(source for source in sources if source is not None), names)

    def condition(self, place: int) -> CompiledCondition | ConditionError | None:
        source = self.step(place).execution.condition
        return None if source is None else self.conditions[source]

    def references(self, inputs: Json, place: int, *, in_inputs: bool = True) -> list[InputReference]:
        """Return the references in texts of the step at `place`."""
        names = self.inputs | self.local_names(place, in_inputs=in_inputs)
        return [each for each in find_references(inputs) if not each.needs_name or each.path[0] in names]

    def expression(self, source: str, place: int, *, in_inputs: bool = True) -> CompiledCondition | ConditionError:
        """Return an expression of the step at `place`: compiled, or its error."""
        try:
            return compile_expression(source, self.names | self.local_names(place, in_inputs=in_inputs))
        except ConditionError as error:
            return error

    def step(self, place: int) -> ProcessStep:
        return self.steps[place]

    def reference_objection(
        self, reference: InputReference, place: int, *, in_inputs: bool = True
    ) -> tuple[str, str] | None:
        """Return why the step at `place` cannot read a reference in a text, as rule and message with the reference."""
        found = self.reference_problem(reference.path, place, in_inputs=in_inputs)
        if found is None:
            return None
        rule, why = found
        is_dotted_name = len(reference.path) > 1 and reference.path[0] != STEP_PREFIX
        hint = f"; write {reference.as_literal} if it is text" if is_dotted_name else ""
        return rule, f"{reference.text}: {why}{hint}"

    def reference_problem(self, path: Sequence[str], place: int, *, in_inputs: bool = True) -> tuple[str, str] | None:
        """Return why the step at `place` cannot read this path, as rule and message (platform 6, 41)."""
        if path[0] != STEP_PREFIX or len(path) == 1:
            names = self.inputs | self.local_names(place, in_inputs=in_inputs)
            if path[0] in names:
                return None
            return "reference_exists", f"there is no input {path[0]!r}; there are {join_names(sorted(names))}"
        maker = self.producers.get(path[1])
        if maker is None:
            return "reference_exists", f"no step gives {path[1]!r}; there are {join_names(sorted(self.producers))}"
        is_over = self.section_of[maker] != self.section_of[place] and maker < place
        if is_over or self.dependencies.is_ancestor(maker, place):
            return None
        return "reference_in_chain", self._out_of_reach(maker, place)

    def _out_of_reach(self, maker: int, place: int) -> str:
        producer, reader = self.step(maker), self.step(place)
        if maker == place:
            return f"step {reader.id!r} reads its own result"
        advice = (
            f"name {producer.id!r} in its dependsOn, or in that of a step it depends on"
            if maker < place
            else "move it up before this one"
        )
        return (
            f"step {reader.id!r} does not depend on {producer.id!r}, which gives {producer.output.variable!r}: {advice}"
        )


def build_context(definition: ProcessDefinition, targets: TargetLookup, process_id: str | None) -> CheckContext:
    """Look up each target once. A Process that calls itself calls the definition under check."""
    steps = definition.all_steps
    tools = {each: targets.tool(each) for each in dict.fromkeys(step.tool for step in steps) if each}
    processes = {
        each: _own_target(definition) if each == process_id else targets.process(each)
        for each in dict.fromkeys(step.process for step in steps)
        if each
    }
    return CheckContext(definition, [tools.get(step.tool or "") or processes.get(step.process or "") for step in steps])


def _own_target(definition: ProcessDefinition) -> ProcessTarget:
    return ProcessTarget(
        definition.name, tuple(definition.input_names), definition.digest, required=tuple(definition.required_inputs)
    )
