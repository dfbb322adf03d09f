"""References in a plan that a model made: what can be corrected for sure, and what can only be left out (core 10)."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import ValidationProblem

_IN_ARGUMENTS = re.compile(r"\$\.steps\[(\d+)\]\.arguments\b")
_FIELD = re.compile(r"\{step\.([A-Za-z0-9_-]+)(?:\.([^{}.]+))?([^{}]*)\}")


def drop_unusable_arguments(plan: JsonObject, problems: Sequence[ValidationProblem]) -> JsonObject | None:
    """`plan` without the arguments that `problems` are about, so that their calls are asked for when their steps run.

    None when something else is wrong with the plan too.
    """
    found = [_IN_ARGUMENTS.match(problem.path) for problem in problems]
    if not all(found):
        return None
    unusable = {int(match[1]) for match in found if match}
    steps = [
        {key: value for key, value in step.items() if key != "arguments" or index not in unusable}
        for index, step in enumerate(plan["steps"])
    ]
    return {**plan, "steps": steps}


def correct_field_references(plan: JsonObject, tools: Sequence[JsonObject]) -> JsonObject:
    """`plan` with every field that its step cannot have, where that has only one, set to it: nothing else can be meant.

    The same object when there is nothing to correct.
    """
    given = {tool["name"]: _fields(tool["output_schema"]) for tool in tools}
    fields = {
        step["step_id"]: given.get(step.get("tool"), set()) if step.get("tool") else {"text"} for step in plan["steps"]
    }
    steps = [
        {**step, "arguments": _corrected(step["arguments"], fields)} if step.get("arguments") else step
        for step in plan["steps"]
    ]
    return plan if steps == plan["steps"] else {**plan, "steps": steps}


def _fields(schema: JsonObject) -> set[str]:
    return {*schema.get("properties", {}), *schema.get("required", [])}


def _corrected(value: Json, fields: Mapping[str, set[str]]) -> Json:
    if isinstance(value, str):
        return _FIELD.sub(lambda found: _reference(found, fields), value)
    if isinstance(value, dict):
        return {key: _corrected(item, fields) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_corrected(item, fields) for item in cast(list[Json], value)]
    return value


def _reference(found: re.Match[str], fields: Mapping[str, set[str]]) -> str:
    known = fields.get(found[1], set())
    if found[2] is None or found[2] in known or len(known) != 1:
        return found[0]
    return f"{{step.{found[1]}.{next(iter(known))}{found[3]}}}"
