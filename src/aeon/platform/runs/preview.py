"""What a run would call, in order, as far as its inputs alone decide it. Pure: nothing is started."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias, cast

from aeon.base.binding import STEP_PREFIX
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.platform.processes.expressions.bindings import bind, roots_of
from aeon.platform.processes.expressions.cel_paths import scan_condition
from aeon.platform.processes.expressions.conditions import evaluate_text
from aeon.platform.processes.model import ProcessDefinition, ProcessStep, variables_of
from aeon.platform.processes.sections import SectionName, split_sections, undone_steps
from aeon.platform.processes.step_control import FAILURE, RESULT
from aeon.platform.runs.loop_values import list_items

ConditionOutlook: TypeAlias = Literal["holds", "does not hold", "is decided later"]


class StepPreview(NamedTuple):
    """What a run would do at one step.

    `stage` counts from 1 within its section; steps of one stage run together. `inputs` are bound as far as they are
    known, and `unknown` says what comes later and from where, such as `step.found of look`. `items` is the number of
    items of a loop, None if it is unknown or without a loop. `problem` says why the step would fail.
    """

    section: SectionName
    stage: int
    step: ProcessStep
    condition: ConditionOutlook | None
    inputs: JsonObject
    unknown: list[str]
    items: int | None
    problem: str


def preview_run(definition: ProcessDefinition, inputs: JsonObject) -> list[StepPreview]:
    """Return a preview of each step, in order, for the complete inputs of a run.

    A step whose condition does not hold gives null, which later steps may read.
    """
    sections, stages = split_sections(definition)
    known: dict[str, Json] = {}
    undone = undone_steps(definition)
    skipped: set[str] = set()
    previews: list[StepPreview] = []
    for section in sections:
        for number in section.stages:
            found = [
                _preview(
                    definition, section.name, number - section.stages.start + 1, place, inputs | {STEP_PREFIX: known}
                )
                for place in stages[number]
                if undone.get(definition.all_steps[place].id) not in skipped
            ]
            previews += found
            for each in found:
                if each.condition == "does not hold":
                    skipped.add(each.step.id)
                    known |= dict.fromkeys(variables_of(each.step))
    return previews


def _preview(
    definition: ProcessDefinition, section: SectionName, stage: int, place: int, values: JsonObject
) -> StepPreview:
    step = definition.all_steps[place]
    later = {(FAILURE,), (RESULT,)} if section != "main" else set[tuple[str, ...]]()
    reader = _Reader(values, later)
    condition = None if step.execution.condition is None else reader.holds(step.execution.condition)
    items = None if step.for_each is None else reader.count_items(step)
    if step.for_each is not None:
        reader.later.add((step.for_each.as_,))
    bound = {name: reader.bind(value) for name, value in step.inputs.items()}
    unknown = sorted(_origin(definition, root) for root in reader.found)
    return StepPreview(section, stage, step, condition, bound, unknown, items, "; ".join(reader.problems))


def _origin(definition: ProcessDefinition, root: tuple[str, ...]) -> str:
    """Return a name that is known later, with the step that gives it."""
    makers = (step.id for step in definition.all_steps if root[0] == STEP_PREFIX and root[1] in variables_of(step))
    maker = next(makers, None)
    return f"{'.'.join(root)} of {maker}" if maker else ".".join(root)


class _Reader:
    """Reads values that are known, and notes those that are not. `later` are names whose values come later."""

    def __init__(self, values: JsonObject, later: set[tuple[str, ...]]) -> None:
        self.later = later
        self.found: set[tuple[str, ...]] = set()
        self.problems: list[str] = []
        self._values = values

    def bind(self, value: Json) -> Json:
        """Return a value with every text bound whose references are known."""
        if isinstance(value, dict):
            return {key: self.bind(item) for key, item in cast(JsonObject, value).items()}
        if isinstance(value, list):
            return [self.bind(item) for item in cast(list[Json], value)]
        return self._bind_text(value) if isinstance(value, str) else value

    def holds(self, source: str) -> ConditionOutlook:
        """Return whether a condition holds."""
        paths = scan_condition(source).paths
        if any(self._unknown({path[: 2 if path[0] == STEP_PREFIX else 1] for path in paths})):
            return "is decided later"
        try:
            return "holds" if evaluate_text(source, self._values) else "does not hold"
        except AeonError as error:
            self.problems.append(error.message)
            return "is decided later"

    def count_items(self, step: ProcessStep) -> int | None:
        """Return the number of a loop's items; None if it is not known."""
        loop = step.for_each
        if loop is None or any(self._unknown(roots_of(loop.items))) or not loop.items:
            return None
        try:
            return len(list_items(loop, self._values))
        except AeonError as error:
            self.problems.append(error.message)
            return None

    def _bind_text(self, text: str) -> Json:
        if unknown := set(self._unknown(roots_of(text))):
            self.found |= unknown
            return text
        try:
            return bind({"value": text}, self._values)["value"]
        except AeonError as error:
            self.problems.append(error.message)
            return text

    def _unknown(self, roots: set[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        known = cast(Mapping[str, Json], self._values[STEP_PREFIX])
        for root in roots:
            is_missing = root[0] == STEP_PREFIX and len(root) > 1 and root[1] not in known
            if is_missing or root in self.later:
                yield root
