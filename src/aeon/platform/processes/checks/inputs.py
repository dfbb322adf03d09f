"""A step's inputs against what it calls: all that is needed, nothing else, nothing that can never fit (platform 6)."""

from collections.abc import Iterator
from typing import NamedTuple, cast

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json, JsonObject, json_problems
from aeon.base.json_schema import compile_schema
from aeon.platform.processes.checks.context import CheckContext
from aeon.platform.processes.checks.json_types import (
    ALL_TYPES,
    TEXT_SCHEMA,
    JsonTypes,
    allowed_types,
    describe_types,
    schema_at,
)
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.checks.targets import ProcessTarget, ToolTarget
from aeon.platform.processes.expressions.bindings import InputReference, find_references, format_input_path
from aeon.platform.processes.expressions.conditions import CompiledCondition
from aeon.platform.processes.text import join_names


def check_inputs(whole: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    """Everything wrong with the inputs of the step at `place`."""
    step, target = whole.step(place), whole.targets[place]
    if wrong := json_problems(step.inputs):
        yield from (DefinitionProblem(f"$.steps[{place}].inputs", "inputs_are_json", fault) for fault in wrong)
        return
    found = list(find_references(step.inputs))
    if isinstance(target, ToolTarget):
        yield from _schema_problems(place, step.inputs, target, found)
        yield from _undeclared_problems(place, step.inputs, target)
    elif target is not None:
        yield from _context_problems(place, step.inputs, target)
    for reference in found:
        path = f"$.steps[{place}].inputs{format_input_path(reference.location)}"
        if objection := whole.reference_problem(reference.path, place):
            rule, why = objection
            yield DefinitionProblem(path, rule, f"{reference.text}: {why}")
        else:
            for rule, why in _flow_problems(whole, place, reference):
                yield DefinitionProblem(path, rule, f"{reference.text}: {why}")


def _schema_problems(
    place: int, inputs: Json, target: ToolTarget, found: list[InputReference]
) -> Iterator[DefinitionProblem]:
    """What is wrong whatever the references will stand for."""
    unknown = {f"${format_input_path(reference.location)}" for reference in found}
    for problem in compile_schema(target.input_schema).certain_problems(inputs, unknown):
        path = f"$.steps[{place}].inputs{problem.path.removeprefix('$')}"
        yield DefinitionProblem(
            path, "inputs_match_tool", f"the tool {target.name!r} does not take this: {problem.message}"
        )


_OTHER_DECLARATIONS = frozenset(
    {
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "propertyNames",
        "dependentSchemas",
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
    }
)
"""Keywords by which a schema says more of its properties than `properties` does."""


def _undeclared_problems(place: int, inputs: dict[str, Json], target: ToolTarget) -> Iterator[DefinitionProblem]:
    """Inputs that the tool does not declare: its schema allows them, and the tool ignores them."""
    declared: Json = target.input_schema.get("properties")
    if not isinstance(declared, dict) or target.input_schema.keys() & _OTHER_DECLARATIONS:
        return
    required: Json = target.input_schema.get("required")
    needed = cast("list[str]", required) if isinstance(required, list) else []
    taken = list(dict.fromkeys([*cast(JsonObject, declared), *needed]))
    for name in inputs:
        if name not in taken:
            message = f"the tool {target.name!r} takes no {name!r}; it takes {join_names(taken)}"
            yield DefinitionProblem(f"$.steps[{place}].inputs.{name}", "inputs_match_tool", message)


def _context_problems(place: int, inputs: dict[str, Json], target: ProcessTarget) -> Iterator[DefinitionProblem]:
    """A Process takes its initialContext, all of it and nothing else."""
    for name in target.initial_context:
        if name not in inputs:
            message = f"the process {target.name!r} needs the input {name!r}"
            yield DefinitionProblem(f"$.steps[{place}].inputs", "inputs_match_process", message)
    for name in inputs:
        if name not in target.initial_context:
            message = f"the process {target.name!r} takes no {name!r}; it takes {join_names(target.initial_context)}"
            yield DefinitionProblem(f"$.steps[{place}].inputs.{name}", "inputs_match_process", message)


class _Flow(NamedTuple):
    """What a reference offers: its kinds, and who makes it; no place where it is an input of the Process."""

    offered: JsonTypes
    maker: int | None


def _flow_problems(whole: CheckContext, place: int, reference: InputReference) -> Iterator[tuple[str, str]]:
    wanted = _wanted(whole, place, reference)
    flow = _flow(whole, reference)
    if flow.maker is not None and not flow.offered:
        yield "reference_leads_somewhere", f"the result of step {whole.step(flow.maker).id!r} never has that"
        return
    given = flow.offered if reference.is_whole else allowed_types(TEXT_SCHEMA, True)
    if wanted and not given & wanted:
        yield "types_fit", f"this gives {describe_types(given)}, where {describe_types(wanted)} is needed"
    if flow.maker is not None and _may_be_null(whole, flow.maker, place):
        yield from _null_problems(whole.step(flow.maker).output.variable, reference, wanted)


def _null_problems(variable: str, reference: InputReference, wanted: JsonTypes) -> Iterator[tuple[str, str]]:
    """A step that was skipped, or failed and may, gives null: that is refused where null cannot stand.

    Such a call would be made only to fail, and a condition that asks for the value says in the definition what is meant
    instead. Inside a longer text null is a word like others.
    """
    if len(reference.path) > len((STEP_PREFIX, variable)):
        why = "has no parts"
    elif reference.is_whole and wanted and "null" not in wanted:
        why = f"does not fit where {describe_types(wanted)} is needed"
    else:
        return
    yield (
        "null_fits",
        f"{variable!r} can be null, which {why}; give this step a condition such as `step.{variable} != null`",
    )


def _wanted(whole: CheckContext, place: int, reference: InputReference) -> JsonTypes:
    target = whole.targets[place]
    if not isinstance(target, ToolTarget):
        return ALL_TYPES
    schema = schema_at(target.input_schema, [str(part) for part in reference.location], target.input_schema)
    return allowed_types(schema, target.input_schema)


def _flow(whole: CheckContext, reference: InputReference) -> _Flow:
    if reference.path[0] != STEP_PREFIX:
        return _Flow(ALL_TYPES, None)
    maker = whole.producers[reference.path[1]]
    target = whole.targets[maker]
    is_asked = whole.step(maker).execution.interaction_mode == "manual"
    # What a person answers, and what a Process comes to, no schema says.
    if is_asked or not isinstance(target, ToolTarget):
        return _Flow(ALL_TYPES, maker)
    schema = schema_at(target.output_schema, reference.path[2:], target.output_schema)
    return _Flow(allowed_types(schema, target.output_schema), maker)


def _may_be_null(whole: CheckContext, maker: int, place: int) -> bool:
    """Whether the step at `place` may run with null from `maker`: not if its condition asks, or is the maker's own."""
    made, reads = whole.step(maker), whole.step(place)
    condition = whole.condition(place)
    if isinstance(condition, CompiledCondition) and made.output.variable in condition.variables:
        return False
    if not made.output.required:
        return True
    return made.execution.condition not in {None, reads.execution.condition}
