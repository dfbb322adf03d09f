"""Checks a step's inputs against its target (platform 6).

All required inputs are there, none is unknown, and none has a type that can never fit.
"""

from collections.abc import Iterator
from typing import NamedTuple

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json, json_problems
from aeon.base.json_schema import compile_schema
from aeon.platform.processes.checks.context import CheckContext
from aeon.platform.processes.checks.json_types import (
    ALL_TYPES,
    TEXT_SCHEMA,
    JsonTypes,
    allowed_types,
    declared_fields,
    describe_types,
    schema_at,
)
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.checks.targets import ProcessTarget, ToolTarget
from aeon.platform.processes.expressions.bindings import (
    InputExpression,
    InputPath,
    InputReference,
    find_expressions,
    format_input_path,
)
from aeon.platform.processes.expressions.computed import json_type_of
from aeon.platform.processes.expressions.conditions import CompiledCondition, ConditionError
from aeon.platform.processes.expressions.mistaken import find_mistaken_references
from aeon.platform.processes.text import join_names


def check_inputs(context: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    """Yield every problem with the inputs of the step at `place`."""
    step, target = context.step(place), context.targets[place]
    at = f"{context.paths[place]}.inputs"
    if faults := json_problems(step.inputs):
        yield from (DefinitionProblem(at, "inputs_are_json", fault) for fault in faults)
        return
    references = context.references(step.inputs, place)
    if isinstance(target, ToolTarget):
        unknown = {f"${format_input_path(each.location)}" for each in references}
        unknown |= {f"${format_input_path(each.location)}" for each in find_expressions(step.inputs)}
        yield from _schema_problems(at, step.inputs, target, unknown)
        yield from _undeclared_problems(at, step.inputs, target)
    elif target is not None:
        yield from _context_problems(at, step.inputs, target)
    for reference in references:
        path = f"{at}{format_input_path(reference.location)}"
        if objection := context.reference_objection(reference, place):
            yield DefinitionProblem(path, *objection)
        else:
            for rule, why in _flow_problems(context, place, reference):
                yield DefinitionProblem(path, rule, f"{reference.text}: {why}")
    yield from check_texts(context, place, at, step.inputs)


def check_texts(
    context: CheckContext, place: int, at: str, inputs: Json, *, in_inputs: bool = True
) -> Iterator[DefinitionProblem]:
    """Yield the problems of the expressions in texts of a step, and of what only looks like a reference (platform 41).

    `at` is the path of the texts. With `in_inputs`, they may read the item of the step's loop.
    """
    names = context.names | context.local_names(place, in_inputs=in_inputs)
    for location, text in find_mistaken_references(inputs, names):
        yield DefinitionProblem(f"{at}{format_input_path(location)}", "expression_marked", text)
    for expression in find_expressions(inputs):
        path = f"{at}{format_input_path(expression.location)}"
        compiled = context.expression(expression.source, place, in_inputs=in_inputs)
        if isinstance(compiled, ConditionError):
            yield DefinitionProblem(
                path, "expression_valid", f"{compiled.message} It may read {join_names(sorted(names))}."
            )
            continue
        found = {context.reference_problem(each, place, in_inputs=in_inputs) for each in sorted(compiled.paths)}
        yield from (DefinitionProblem(path, rule, why) for rule, why in sorted(each for each in found if each))
        if expression.is_whole and in_inputs:
            yield from _expression_type_problems(context, place, path, expression, compiled)


def _expression_type_problems(
    context: CheckContext, place: int, path: str, expression: InputExpression, compiled: CompiledCondition
) -> Iterator[DefinitionProblem]:
    given = json_type_of(compiled)
    accepted = _accepted_at(context, place, expression.location)
    types = ALL_TYPES if given is None else allowed_types({"type": given}, True)
    if given is not None and accepted and not types & accepted:
        message = (
            f"{{= {expression.source}}}: this is {describe_types(types)}, where {describe_types(accepted)} is needed"
        )
        yield DefinitionProblem(path, "types_fit", message)


def _schema_problems(at: str, inputs: Json, target: ToolTarget, unknown: set[str]) -> Iterator[DefinitionProblem]:
    """Yield the problems that exist regardless of the values at the unknown places."""
    for problem in compile_schema(target.input_schema).certain_problems(inputs, unknown):
        path = f"{at}{problem.path.removeprefix('$')}"
        yield DefinitionProblem(
            path, "inputs_match_tool", f"the tool {target.name!r} does not accept this: {problem.message}"
        )


def _undeclared_problems(at: str, inputs: dict[str, Json], target: ToolTarget) -> Iterator[DefinitionProblem]:
    """Yield the inputs that the tool does not declare: its schema allows them, and the tool ignores them."""
    taken = declared_fields(target.input_schema)
    if taken is None:
        return
    for name in inputs:
        if name not in taken:
            message = f"the tool {target.name!r} takes no {name!r}; it takes {join_names(taken)}"
            yield DefinitionProblem(f"{at}.{name}", "inputs_match_tool", message)


def _context_problems(at: str, inputs: dict[str, Json], target: ProcessTarget) -> Iterator[DefinitionProblem]:
    """Yield the inputs that the target Process lacks or does not know."""
    for name in target.inputs if target.required is None else target.required:
        if name not in inputs:
            message = f"the process {target.name!r} needs the input {name!r}"
            yield DefinitionProblem(at, "inputs_match_process", message)
    for name in inputs:
        if name not in target.inputs:
            message = f"the process {target.name!r} has no input {name!r}; it has {join_names(target.inputs)}"
            yield DefinitionProblem(f"{at}.{name}", "inputs_match_process", message)


def types_of_reference(context: CheckContext, reference: InputReference) -> JsonTypes:
    """Return the types that a value can have that a reference names."""
    return _flow(context, reference).types


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
    return _accepted_at(context, place, reference.location)


def _accepted_at(context: CheckContext, place: int, location: InputPath) -> JsonTypes:
    """Return the types that the target of a step takes at a place of its inputs."""
    target = context.targets[place]
    if not isinstance(target, ToolTarget):
        return ALL_TYPES
    schema = schema_at(target.input_schema, [str(part) for part in location], target.input_schema)
    return allowed_types(schema, target.input_schema)


def _flow(context: CheckContext, reference: InputReference) -> _DataFlow:
    name, *inner = reference.path
    if name != STEP_PREFIX:
        schema = context.definition.inputs.get(name)
        return _DataFlow(ALL_TYPES if schema is None else allowed_types(schema_at(schema, inner, schema), schema), None)
    variable, *inner = inner
    maker = context.producers[variable]
    step, target = context.step(maker), context.targets[maker]
    if step.for_each is not None:
        if not inner:
            return _DataFlow(allowed_types({"type": "array"}, True), maker)
        if variable != step.output.variable:
            return _DataFlow(ALL_TYPES, maker)
        inner = inner[1:]
    is_asked = step.execution.interaction_mode == "manual"
    # No schema describes a person's answer or the result of a Process.
    if is_asked or not isinstance(target, ToolTarget):
        return _DataFlow(ALL_TYPES, maker)
    found = allowed_types(schema_at(target.output_schema, inner, target.output_schema), target.output_schema)
    return _DataFlow(found if step.for_each is None else found | {"null"}, maker)


def _may_be_null(context: CheckContext, maker: int, place: int) -> bool:
    """Return whether the step at `place` may run while the output of `maker` is null.

    It may not if its condition tests the output, or is the same as the maker's.
    """
    producer, reader = context.step(maker), context.step(place)
    condition = context.condition(place)
    if isinstance(condition, CompiledCondition) and producer.output.variable in condition.variables:
        return False
    if context.section_of[place] != context.section_of[maker]:
        return not _is_certain_for(context, maker, place)
    if not producer.output.required:
        return True
    return producer.execution.condition not in {None, reader.execution.condition}


def _is_certain_for(context: CheckContext, maker: int, place: int) -> bool:
    """Return whether a step of another section has certainly completed when the step at `place` runs.

    Only what a compensation undoes has, and what that depended on.
    """
    undone = context.undone.get(context.step(place).id)
    if undone is None or not context.step(maker).output.required:
        return False
    is_skippable = context.step(maker).execution.condition is not None
    return maker == undone or (context.dependencies.is_ancestor(maker, undone) and not is_skippable)
