"""Checks loops, waits, questions, retries and compensations of steps, and typed inputs (platform 41)."""

from collections.abc import Iterator
from typing import Final, cast

from aeon.base.binding import STEP_PREFIX
from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import schema_problem
from aeon.platform.processes.checks.context import CheckContext
from aeon.platform.processes.checks.inputs import check_texts, types_of_reference
from aeon.platform.processes.checks.json_types import describe_types
from aeon.platform.processes.checks.problems import DefinitionProblem
from aeon.platform.processes.expressions.bindings import find_expressions
from aeon.platform.processes.expressions.computed import json_type_of
from aeon.platform.processes.expressions.conditions import CompiledCondition
from aeon.platform.processes.model import UNDO_PREFIX, ProcessDefinition, ProcessStep
from aeon.platform.processes.step_control import FAILURE, MAX_ITEMS, MAX_STEP_SECONDS, RESULT, ForEach
from aeon.platform.processes.typed_inputs import input_faults
from aeon.platform.processes.wait_times import CORRECT_WAIT, parse_wait_time

_MAX_NAME = 64

_VALUES: Final = frozenset({"enum", "const", "default", "examples"})
"""Keywords of a schema that hold values, not schemas."""


def check_inputs_of_process(definition: ProcessDefinition) -> Iterator[DefinitionProblem]:
    """Yield every problem of the typed inputs, and of names that mean something else (platform 41)."""
    for name, schema in definition.inputs.items():
        path = f"$.inputs.{name}"
        if name in definition.initial_context:
            yield DefinitionProblem(path, "input_unique", f"the input {name!r} is in initialContext, too")
        if name == STEP_PREFIX:
            message = f"{STEP_PREFIX!r} is the prefix of step variables and cannot name an input"
            yield DefinitionProblem(path, "input_not_step", message)
        if problem := schema_problem(schema):
            yield DefinitionProblem(path, "schema_valid", f"this is not a JSON Schema: {problem}")
            continue
        for place, value in _truth_values_among_texts(schema, path):
            message = f"YAML reads the value as the truth value {str(value).lower()}: put it in quotes"
            yield DefinitionProblem(place, "enum_of_texts", message)
        if "default" in schema:
            for fault in input_faults(schema, schema["default"]):
                yield DefinitionProblem(f"{path}.default", "default_fits", fault.message)
    yield from _reserved_names(definition)


def _truth_values_among_texts(schema: Json, path: str) -> Iterator[tuple[str, bool]]:
    """Yield the truth values of every `enum` that also has texts, or whose type excludes truth values."""
    if isinstance(schema, list):
        for place, item in enumerate(cast("list[Json]", schema)):
            yield from _truth_values_among_texts(item, f"{path}[{place}]")
    if not isinstance(schema, dict):
        return
    fields = cast(JsonObject, schema)
    allowed, kind = fields.get("enum"), fields.get("type")
    if isinstance(allowed, list) and "boolean" not in (cast("list[Json]", kind) if isinstance(kind, list) else [kind]):
        values = cast("list[Json]", allowed)
        if kind is not None or any(isinstance(each, str) for each in values):
            yield from ((f"{path}.enum[{at}]", each) for at, each in enumerate(values) if isinstance(each, bool))
    for name, inner in fields.items():
        if name not in _VALUES:
            yield from _truth_values_among_texts(inner, f"{path}.{name}")


def _reserved_names(definition: ProcessDefinition) -> Iterator[DefinitionProblem]:
    has_closing = len(definition.all_steps) > len(definition.steps)
    has_compensation = any(step.compensate is not None for step in definition.steps)
    for name, is_used, what in (
        (FAILURE, has_closing, "why the run failed"),
        (RESULT, has_compensation, "the result of what is undone"),
    ):
        if is_used and name in definition.input_names:
            place = "inputs" if name in definition.inputs else "initialContext"
            message = f"{name!r} is {what} there; give the input another name"
            yield DefinitionProblem(f"$.{place}", "name_reserved", message)


def check_control(context: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    """Yield every problem of what a step has beside its call."""
    step, path = context.step(place), context.paths[place]
    is_manual = step.execution.interaction_mode == "manual"
    if step.tool is not None and not is_manual and step.execution.timeout > MAX_STEP_SECONDS:
        message = f"a call of a tool has at most {MAX_STEP_SECONDS} s, not {step.execution.timeout}"
        yield DefinitionProblem(f"{path}.execution.timeout", "timeout_of_call", message)
    if step.for_each is not None and context.section_of[place] != "compensation":
        yield from _loop_problems(context, place, step.for_each)
    if step.wait is not None:
        yield from _wait_problems(context, place, step)
    if step.question is not None:
        yield from _question_problems(context, place, step)
    if step.retry is not None and (is_manual or step.wait is not None):
        message = "only a call is retried: this step asks a person" if is_manual else "a wait is not retried"
        yield DefinitionProblem(f"{path}.retry", "retry_of_call", message)
    if step.compensate is not None:
        yield from _compensation_problems(context, place, step)


def _loop_problems(context: CheckContext, place: int, loop: ForEach) -> Iterator[DefinitionProblem]:
    path = f"{context.paths[place]}.forEach"
    if loop.as_ in context.inputs | {STEP_PREFIX, FAILURE, RESULT}:
        yield DefinitionProblem(
            f"{path}.as", "item_name", f"{loop.as_!r} has a meaning already; name the item otherwise"
        )
    if isinstance(loop.items, list) and len(loop.items) > MAX_ITEMS:
        message = f"the list has {len(loop.items):,} items, and at most {MAX_ITEMS:,} are allowed"
        yield DefinitionProblem(f"{path}.items", "item_count", message)
    items: JsonObject = {"items": loop.items}
    for reference in context.references(items, place, in_inputs=False):
        if objection := context.reference_objection(reference, place, in_inputs=False):
            yield DefinitionProblem(f"{path}.items", *objection)
        elif reference.is_whole and reference.location == ("items",):
            types = types_of_reference(context, reference)
            if "array" not in types:
                message = f"{reference.text}: this is {describe_types(types)}, where a list is needed"
                yield DefinitionProblem(f"{path}.items", "types_fit", message)
    yield from check_texts(context, place, path, items, in_inputs=False)
    if isinstance(loop.items, str) and not _can_be_list(context, place, loop.items):
        message = f"{loop.items[:80]!r} is not a list: write a reference such as {{rows}}, an expression, or a list"
        yield DefinitionProblem(f"{path}.items", "types_fit", message)


def _can_be_list(context: CheckContext, place: int, text: str) -> bool:
    """Return whether a text is one reference or one expression that may give a list."""
    whole: JsonObject = {"items": text}
    if any(reference.is_whole for reference in context.references(whole, place, in_inputs=False)):
        return True
    for expression in find_expressions(whole):
        compiled = context.expression(expression.source, place, in_inputs=False)
        return expression.is_whole and not (
            isinstance(compiled, CompiledCondition) and json_type_of(compiled) not in (None, "array")
        )
    return False


def _wait_problems(context: CheckContext, place: int, step: ProcessStep) -> Iterator[DefinitionProblem]:
    path = context.paths[place]
    if step.inputs:
        yield DefinitionProblem(f"{path}.inputs", "wait_alone", "a step that waits takes no inputs")
    if step.execution.interaction_mode == "manual":
        message = "a step that waits asks nobody; give a step that asks a timeout"
        yield DefinitionProblem(f"{path}.execution.interactionMode", "wait_alone", message)
    if step.compensate is not None:
        yield DefinitionProblem(f"{path}.compensate", "wait_alone", "there is nothing to undo in a wait")
    if not context.references(step.wait, place) and not list(find_expressions(step.wait)):
        if parse_wait_time(step.wait) is None:
            yield DefinitionProblem(f"{path}.wait", "wait_time", f"this is not a time. {CORRECT_WAIT}")
        return
    yield from _text_problems(context, place, f"{path}.wait", step.wait)


def _question_problems(context: CheckContext, place: int, step: ProcessStep) -> Iterator[DefinitionProblem]:
    path, rules = f"{context.paths[place]}.question", step.question
    if rules is None:
        return
    if step.execution.interaction_mode != "manual":
        message = "only a manual step asks a person; set execution.interactionMode to manual"
        yield DefinitionProblem(path, "question_is_manual", message)
    if rules.assignee is not None:
        yield from _text_problems(context, place, f"{path}.assignee", rules.assignee)
    for number, each in enumerate(rules.escalate):
        yield from _text_problems(context, place, f"{path}.escalate[{number}].assignee", each.assignee)
    if rules.answer is not None and rules.on_timeout == "fail":
        message = "this answer never counts: set onTimeout to answer"
        yield DefinitionProblem(f"{path}.answer", "answer_counts", message)
    if rules.answer is None and rules.on_timeout == "answer":
        message = "onTimeout: answer needs an answer that is not null: a step without an output has failed"
        yield DefinitionProblem(f"{path}.answer", "answer_given", message)


def _compensation_problems(context: CheckContext, place: int, step: ProcessStep) -> Iterator[DefinitionProblem]:
    path = f"{context.paths[place]}.compensate"
    if context.section_of[place] != "main":
        yield DefinitionProblem(path, "compensation_of_main", "only what a main step did is undone")
    if len(step.id) + len(UNDO_PREFIX) > _MAX_NAME:
        message = f"its compensation is called {UNDO_PREFIX}{step.id}, which is too long; shorten the step's id"
        yield DefinitionProblem(path, "compensation_name", message)


def _text_problems(context: CheckContext, place: int, path: str, text: Json) -> Iterator[DefinitionProblem]:
    """Yield the problems of references and expressions in one text beside a step's inputs."""
    for reference in context.references(text, place):
        if objection := context.reference_objection(reference, place):
            yield DefinitionProblem(path, *objection)
    yield from check_texts(context, place, path, text)
