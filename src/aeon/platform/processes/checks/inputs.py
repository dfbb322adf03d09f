"""Checks a step's inputs against its target (platform 6).

All required inputs are there, none is unknown, and none has a type that can never fit.
"""

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


def check_inputs(context: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    """Yield every problem with the inputs of the step at `place`."""
    step, target = context.step(place), context.targets[place]
    if faults := json_problems(step.inputs):
        yield from (DefinitionProblem(f"$.steps[{place}].inputs", "inputs_are_json", fault) for fault in faults)
        return
    references = list(find_references(step.inputs))
    if isinstance(target, ToolTarget):
        yield from _schema_problems(place, step.inputs, target, references)
        yield from _undeclared_problems(place, step.inputs, target)
    elif target is not None:
        yield from _context_problems(place, step.inputs, target)
    for reference in references:
        path = f"$.steps[{place}].inputs{format_input_path(reference.location)}"
        if objection := context.reference_problem(reference.path, place):
            rule, why = objection
            yield DefinitionProblem(path, rule, f"{reference.text}: {why}")
        else:
            for rule, why in _flow_problems(context, place, reference):
                yield DefinitionProblem(path, rule, f"{reference.text}: {why}")


def _schema_problems(
    place: int, inputs: Json, target: ToolTarget, references: list[InputReference]
) -> Iterator[DefinitionProblem]:
    """Yield the problems that exist regardless of the values of the references."""
    unknown = {f"${format_input_path(reference.location)}" for reference in references}
    for problem in compile_schema(target.input_schema).certain_problems(inputs, unknown):
        path = f"$.steps[{place}].inputs{problem.path.removeprefix('$')}"
        yield DefinitionProblem(
            path, "inputs_match_tool", f"the tool {target.name!r} does not accept this: {problem.message}"
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
"""Keywords that declare or restrict properties besides `properties`."""


def _undeclared_problems(place: int, inputs: dict[str, Json], target: ToolTarget) -> Iterator[DefinitionProblem]:
    """Yield the inputs that the tool does not declare: its schema allows them, and the tool ignores them."""
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
    """Yield the inputs that the target Process lacks or does not know."""
    for name in target.initial_context:
        if name not in inputs:
            message = f"the process {target.name!r} needs the input {name!r}"
            yield DefinitionProblem(f"$.steps[{place}].inputs", "inputs_match_process", message)
    for name in inputs:
        if name not in target.initial_context:
            message = f"the process {target.name!r} has no input {name!r}; it has {join_names(target.initial_context)}"
            yield DefinitionProblem(f"$.steps[{place}].inputs.{name}", "inputs_match_process", message)


class _DataFlow(NamedTuple):
    """The types that a reference can have, and the position of the step that produces it.

    The position is None for an input of the Process.
    """

    types: JsonTypes
    maker: int | None


def _flow_problems(context: CheckContext, place: int, reference: InputReference) -> Iterator[tuple[str, str]]:
    accepted = _accepted_types(context, place, reference)
    flow = _flow(context, reference)
    if flow.maker is not None and not flow.types:
        yield "reference_leads_somewhere", f"the result of step {context.step(flow.maker).id!r} never has that"
        return
    types = flow.types if reference.is_whole else allowed_types(TEXT_SCHEMA, True)
    if accepted and not types & accepted:
        yield "types_fit", f"this is {describe_types(types)}, where {describe_types(accepted)} is needed"
    if flow.maker is not None and _may_be_null(context, flow.maker, place):
        yield from _null_problems(context.step(flow.maker).output.variable, reference, accepted)


def _null_problems(variable: str, reference: InputReference, accepted: JsonTypes) -> Iterator[tuple[str, str]]:
    """Report a reference that can be null where null is invalid.

    A step that was skipped, or that failed and is optional, gives null. Such a call would always fail, and a
    condition that tests the value states in the definition what happens instead. Inside a longer text null is a word
    like any other.
    """
    if len(reference.path) > len((STEP_PREFIX, variable)):
        why = "has no parts"
    elif reference.is_whole and accepted and "null" not in accepted:
        why = f"does not fit where {describe_types(accepted)} is needed"
    else:
        return
    yield (
        "null_fits",
        f"{variable!r} can be null, which {why}; give this step a condition such as `step.{variable} != null`",
    )


def _accepted_types(context: CheckContext, place: int, reference: InputReference) -> JsonTypes:
    target = context.targets[place]
    if not isinstance(target, ToolTarget):
        return ALL_TYPES
    schema = schema_at(target.input_schema, [str(part) for part in reference.location], target.input_schema)
    return allowed_types(schema, target.input_schema)


def _flow(context: CheckContext, reference: InputReference) -> _DataFlow:
    if reference.path[0] != STEP_PREFIX:
        return _DataFlow(ALL_TYPES, None)
    maker = context.producers[reference.path[1]]
    target = context.targets[maker]
    is_asked = context.step(maker).execution.interaction_mode == "manual"
    # No schema describes a person's answer or the result of a Process.
    if is_asked or not isinstance(target, ToolTarget):
        return _DataFlow(ALL_TYPES, maker)
    schema = schema_at(target.output_schema, reference.path[2:], target.output_schema)
    return _DataFlow(allowed_types(schema, target.output_schema), maker)


def _may_be_null(context: CheckContext, maker: int, place: int) -> bool:
    """Return whether the step at `place` may run while the output of `maker` is null.

    It may not if its condition tests the output, or is the same as the maker's.
    """
    producer, reader = context.step(maker), context.step(place)
    condition = context.condition(place)
    if isinstance(condition, CompiledCondition) and producer.output.variable in condition.variables:
        return False
    if not producer.output.required:
        return True
    return producer.execution.condition not in {None, reader.execution.condition}
