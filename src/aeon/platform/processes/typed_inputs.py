"""The inputs of a Process: which may be left out, and what is wrong with given ones (platform 41). Pure."""

from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import ValidationProblem, compile_schema
from aeon.base.next_steps import NextStep
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.text import join_names

_FORMATS: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:30:00Z",
    "time": "09:30:00Z",
    "email": "ida@example.com",
    "uri": "https://example.com/page",
}
"""An example of each format that people often give in another way."""


def complete_inputs(definition: ProcessDefinition, given: JsonObject) -> JsonObject:
    """Return the inputs of a run: the given ones, and the defaults of those that were left out."""
    defaults = {name: schema["default"] for name, schema in definition.inputs.items() if "default" in schema}
    return defaults | given


def input_problems(definition: ProcessDefinition, inputs: JsonObject) -> list[str]:
    """Return everything that is wrong with the complete inputs of a run, empty if they fit."""
    names = definition.input_names
    missing = [name for name in names if name not in inputs]
    unknown = [name for name in inputs if name not in names]
    problems = [f"it lacks {join_names(missing)}"] if missing else []
    problems += [f"it has no input {join_names(unknown)}"] if unknown else []
    for name, schema in definition.inputs.items():
        if name in inputs:
            faults = input_faults(schema, inputs[name])
            problems += [f"{name}{fault.path.removeprefix('$')}: {fault.message}" for fault in faults]
    return problems


def input_faults(schema: JsonObject, value: Json) -> list[ValidationProblem]:
    """Return everything that is wrong with the value of one input; a `format` of its schema is a requirement."""
    return [_with_example(fault) for fault in compile_schema(schema, asserts_formats=True).problems(value)]


def _with_example(fault: ValidationProblem) -> ValidationProblem:
    for name, example in _FORMATS.items():
        if fault.message.endswith(f' is not a "{name}"'):
            return fault._replace(message=f"{fault.message}, such as {example}")
    return fault


def unfit_inputs(definition: ProcessDefinition, inputs: JsonObject) -> list[str]:
    """Return the names of the inputs that are missing, unknown or do not fit their schemas."""
    lacking = [name for name in definition.input_names if name not in inputs]
    unknown = [name for name in inputs if name not in definition.input_names]
    schemas = definition.inputs
    unfit = [name for name in schemas if name in inputs and input_faults(schemas[name], inputs[name])]
    return [*lacking, *unknown, *unfit]


def inputs_step(definition: ProcessDefinition) -> NextStep:
    """Return the next step of somebody whose inputs do not fit."""
    return NextStep("processes.give_inputs", inputs=_describe_inputs(definition))


def _describe_inputs(definition: ProcessDefinition) -> str:
    """Describe which inputs a run needs, and which it may be given."""
    required = definition.required_inputs
    optional = [name for name in definition.input_names if name not in required]
    if not optional:
        return f"exactly these: {join_names(required)}"
    return f"{join_names(required)}; you may also give {join_names(optional)}"
