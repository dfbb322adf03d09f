"""Finds fields that a Process reads and that nothing declares, though a declared one has nearly that name.

A schema that says nothing of other fields allows them, so this is a warning; where they are impossible, the checks of
inputs and conditions refuse them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json
from aeon.platform.processes.checks.context import CheckContext, build_context
from aeon.platform.processes.checks.json_types import misspelt_field
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.checks.targets import TargetLookup, ToolTarget
from aeon.platform.processes.expressions.bindings import find_expressions, format_input_path
from aeon.platform.processes.expressions.conditions import CompiledCondition, ConditionError
from aeon.platform.processes.model import ProcessDefinition

FIELD_DECLARED: Final = "field_declared"
"""The rule of these warnings."""

_TAG = re.compile(r"\{\{[^{}]*\}\}")
_PATH_IN_TAG = re.compile(r"(?<![\w./@])[A-Za-z_]\w*(?:\.\w+)+")


class _Reading(NamedTuple):
    """A path that is read, and where in the definition."""

    place: str
    path: Sequence[str]


def find_misspelt_fields(
    definition: ProcessDefinition, targets: TargetLookup, *, process_id: str | None = None
) -> list[DefinitionProblem]:
    """Return a warning for each field that is probably misspelt, of a definition that can be saved."""
    context = build_context(definition, targets, process_id)
    return [warning for each in dict.fromkeys(_readings(context)) for warning in _warnings(context, each)]


def _readings(context: CheckContext) -> Iterator[_Reading]:
    for place, (at, step) in enumerate(zip(context.paths, context.steps, strict=True)):
        if isinstance(condition := context.condition(place), CompiledCondition):
            yield from (_Reading(f"{at}.execution.condition", path) for path in sorted(condition.paths))
        yield from _in_texts(context, place, f"{at}.inputs", step.inputs)
        if step.wait is not None:
            yield from _in_texts(context, place, f"{at}.wait", step.wait)
        if step.for_each is not None:
            yield from _in_texts(context, place, f"{at}.forEach", {"items": step.for_each.items})
    for tag in _TAG.findall(context.definition.output_template):
        for path in _PATH_IN_TAG.findall(tag):
            yield _Reading("$.outputTemplate", tuple(path.split(".")))


def _in_texts(context: CheckContext, place: int, at: str, texts: Json) -> Iterator[_Reading]:
    for reference in context.references(texts, place):
        yield _Reading(f"{at}{format_input_path(reference.location)}", reference.path)
    for expression in find_expressions(texts):
        compiled = context.expression(expression.source, place)
        if not isinstance(compiled, ConditionError):
            at_text = f"{at}{format_input_path(expression.location)}"
            yield from (_Reading(at_text, path) for path in sorted(compiled.paths))


def _warnings(context: CheckContext, reading: _Reading) -> Iterator[DefinitionProblem]:
    schema, fields, what = _declaration(context, reading.path)
    if found := misspelt_field(schema, fields, schema):
        wrong, near = found
        message = f"{'.'.join(reading.path)}: {what} does not declare {wrong!r}; did you mean {near!r}?"
        yield DefinitionProblem(reading.place, FIELD_DECLARED, message)


def _declaration(context: CheckContext, path: Sequence[str]) -> tuple[Json, Sequence[str], str]:
    """Return the schema of the value that a path starts at, the fields it names in it, and whose schema it is.

    The schema is True if nothing describes the value: a person's answer, the result of a Process, an untyped input.
    """
    name, *fields = path
    if name != STEP_PREFIX:
        return context.definition.inputs.get(name, True), fields, f"the input {name!r}"
    variable, *fields = fields
    maker = context.producers.get(variable)
    target = None if maker is None else context.targets[maker]
    if maker is None or not isinstance(target, ToolTarget):
        return True, fields, ""
    step = context.step(maker)
    is_list = step.for_each is not None
    if step.execution.interaction_mode == "manual" or (is_list and variable != step.output.variable):
        return True, fields, ""
    return target.output_schema, fields[1:] if is_list else fields, f"the outputSchema of {target.name!r}"
