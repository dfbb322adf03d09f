"""Normalization of plans with unusual keys and shapes, by code, before a model is asked to repair them (FR-032)."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import ValidationProblem
from aeon.base.lazy_pattern import LazyPattern

_STEPS = ("step", "plan", "tasks", "actions")
_GOAL = ("objective",)
_STEP_ID = ("id", "number", "step")
_DESCRIPTION = ("task", "instruction", "action", "text", "title", "step", "name")
_TOOL = ("tool_name", "function", "action", "name")
_ARGUMENTS = ("args", "parameters", "params", "input")
_ENVELOPES = ("step", "task", "action")

_MAX_DESCRIPTION = 160
"""Characters of a description that is built from a step's tool and arguments."""


def normalize_plan_keys(plan: Json, tools: Collection[str]) -> Json:
    """Renames common alternative keys of `plan`, and makes its steps a list of objects, each with an id.

    A single step or call becomes a plan of one step. Standard keys are never overwritten, and unreadable parts stay
    unchanged. `tools` are the registered names.
    """
    whole = cast(JsonObject, {"steps": plan} if isinstance(plan, list) else plan)
    if not isinstance(cast(Json, whole), dict):
        return cast(Json, plan)
    inner: Json = whole.get("plan")
    if isinstance(inner, dict) and "steps" not in whole and any(key in inner for key in ("steps", "goal", *_GOAL)):
        whole = {**{key: value for key, value in whole.items() if key != "plan"}, **cast(JsonObject, inner)}
    read = _renamed(whole, "steps", _STEPS, lambda value: bool(value) and not _is_number(value))
    read = _renamed(read, "goal", _GOAL, _is_text)
    if "steps" not in read and (_is_text(read.get("tool")) or _is_text(read.get("description"))):
        goal = {"goal": read["goal"]} if "goal" in read else {}
        read = {**goal, "steps": [{key: value for key, value in read.items() if key != "goal"}]}
    steps = _listed(read.get("steps"))
    return read if steps is None else {**read, "steps": _with_ids([_step(step, tools) for step in steps])}


def unreadable_parts(plan: JsonObject) -> list[ValidationProblem]:
    """The parts of `plan` with content that cannot be read: no repair may replace it."""
    steps = plan.get("steps")
    if not steps or not isinstance(steps, list):
        return [
            ValidationProblem(f"$.{key}", "is not a part of a plan, and it is unclear whether it holds the steps")
            for key, value in plan.items()
            if key not in ("goal", "steps") and isinstance(value, (dict, list)) and value
        ]
    listed = cast(Sequence[Json], steps)
    return [
        ValidationProblem(f"$.steps[{index}]", "cannot be read as a step, and a repair must not invent one")
        for index, step in enumerate(listed)
        if not isinstance(step, dict) or not _is_text(cast(JsonObject, step).get("description"))
    ]


def _listed(steps: Json) -> list[Json] | None:
    """The steps as a list, from a single step or from an object with the steps by id."""
    if isinstance(steps, str) and steps.strip():
        return [steps]
    if not isinstance(steps, dict):
        return cast("list[Json]", steps) if isinstance(steps, list) else None
    named = cast(JsonObject, steps)
    if any(_is_text(named.get(key)) for key in ("description", "tool", *_DESCRIPTION, *_TOOL)):
        return [named]
    return [_step_of_entry(key, step) for key, step in named.items()]


def _step_of_entry(key: str, step: Json) -> Json:
    """The step under `key` in an object of steps, with the key as its id."""
    if _is_text(step):
        return {"step_id": key, "description": step}
    if not isinstance(step, dict) or any(name in step for name in ("step_id", *_STEP_ID)):
        return cast(Json, step)
    return {"step_id": key, **cast(JsonObject, step)}


def _step(step: Json, tools: Collection[str]) -> Json:
    if _is_text(step):
        return {"description": step}
    if not isinstance(step, dict):
        return step
    read = _unwrapped(cast(JsonObject, step))
    read = _opened_tool(read)
    read = _renamed(read, "tool", _TOOL, lambda value: isinstance(value, str) and value in tools)
    read = _renamed(read, "step_id", _STEP_ID, _is_id)
    read = _renamed(read, "description", _DESCRIPTION, _is_text)
    read = _renamed(read, "arguments", _ARGUMENTS, lambda value: isinstance(value, dict))
    if _is_number(read.get("step_id")):
        read["step_id"] = str(read["step_id"])
    if "description" not in read and _is_text(read.get("tool")):
        read["description"] = _description_of_call(read)
    return read


def _unwrapped(step: JsonObject) -> JsonObject:
    """The step inside an object that contains nothing else."""
    for key in _ENVELOPES:
        if len(step) == 1 and isinstance(step.get(key), dict):
            return dict(step[key])
    return dict(step)


def _opened_tool(step: JsonObject) -> JsonObject:
    """The step with its tool's name and arguments taken out of an object under `tool`."""
    tool = step.get("tool")
    if not isinstance(tool, dict) or not _is_text(cast(JsonObject, tool).get("name")):
        return step
    opened = _renamed(cast(JsonObject, tool), "arguments", _ARGUMENTS, lambda value: isinstance(value, dict))
    if not opened.keys() <= {"name", "arguments"} or ("arguments" in opened and "arguments" in step):
        return step
    arguments = {"arguments": opened["arguments"]} if "arguments" in opened else {}
    return {**step, "tool": opened["name"], **arguments}


def _renamed(value: JsonObject, own: str, others: Sequence[str], fits: Callable[[Json], bool]) -> JsonObject:
    """`value` with its one fitting alternative key renamed to `own`; unchanged if `own` exists."""
    fitting = [key for key in others if key in value and fits(value[key])]
    if own in value or len(fitting) != 1:
        return value
    return {own if key == fitting[0] else key: item for key, item in value.items()}


def _with_ids(steps: list[Json]) -> list[Json]:
    """The steps, with a new unique id for each step without one."""
    taken = {str(cast(JsonObject, step).get("step_id")) for step in steps if isinstance(step, dict)}
    named: list[Json] = []
    for number, step in enumerate(steps, 1):
        own = f"s{number}"
        while own in taken:
            own = f"{own}_"
        is_nameless = isinstance(step, dict) and "step_id" not in step
        named.append({"step_id": own, **cast(JsonObject, step)} if is_nameless else step)
    return named


def _description_of_call(step: JsonObject) -> str:
    """A description from a step's tool and arguments."""
    arguments = canonical_json(step["arguments"]) if step.get("arguments") else ""
    return f"{step['tool']} {arguments}".strip()[:_MAX_DESCRIPTION]


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_id(value: Json) -> bool:
    return _is_number(value) or (_is_text(value) and not any(mark.isspace() for mark in value))


_IN_ARGUMENTS = LazyPattern(r"\$\.steps\[(\d+)\]\.arguments\b")
_FIELD = LazyPattern(r"\{step\.([A-Za-z0-9_-]+)(?:\.([^{}.]+))?([^{}]*)\}")


def drop_unusable_arguments(plan: JsonObject, problems: Sequence[ValidationProblem]) -> JsonObject | None:
    """`plan` without the arguments that `problems` concern, so that the model writes those calls when the steps run.

    None if the plan has other problems too.
    """
    matches = [_IN_ARGUMENTS.match(problem.path) for problem in problems]
    if not all(matches):
        return None
    unusable = {int(match[1]) for match in matches if match}
    steps = [
        {key: value for key, value in step.items() if key != "arguments" or index not in unusable}
        for index, step in enumerate(plan["steps"])
    ]
    return {**plan, "steps": steps}


def correct_field_references(plan: JsonObject, tools: Sequence[JsonObject]) -> JsonObject:
    """`plan` with every reference to an unknown field corrected, if the step's result has only one field.

    Returns the same object if there is nothing to correct.
    """
    tool_fields = {tool["name"]: _fields(tool["output_schema"]) for tool in tools}
    fields = {
        step["step_id"]: tool_fields.get(step.get("tool"), set()) if step.get("tool") else {"text"}
        for step in plan["steps"]
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
        return _FIELD.sub(lambda match: _reference(match, fields), value)
    if isinstance(value, dict):
        return {key: _corrected(item, fields) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_corrected(item, fields) for item in cast(list[Json], value)]
    return value


def _reference(match: re.Match[str], fields: Mapping[str, set[str]]) -> str:
    known = fields.get(match[1], set())
    if match[2] is None or match[2] in known or len(known) != 1:
        return match[0]
    return f"{{step.{match[1]}.{next(iter(known))}{match[3]}}}"
