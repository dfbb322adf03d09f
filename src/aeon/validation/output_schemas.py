"""The schemas a model's output is decoded under, made from the registered tools (core 11)."""

from collections.abc import Sequence
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import UNESCAPED_CHARACTER, nest_schema

MAX_PLAN_STEPS = 50
"""Steps of a plan that a model makes. Plans written by hand have no such limit."""

_MOST_BRANCHES = 20
"""Above this many tools, one branch per tool costs more than it gives; the names alone stay constrained."""

_REFERENCE: JsonObject = {"type": "string", "pattern": rf"^\{{step\.{UNESCAPED_CHARACTER}+\}}$", "maxLength": 80}
_STEP_ID: JsonObject = {"type": "string", "pattern": "^s[0-9]+$", "maxLength": 4}
_DESCRIPTION: JsonObject = {"type": "string", "minLength": 1, "maxLength": 160}


def plan_schema(tools: Sequence[JsonObject], max_steps: int = MAX_PLAN_STEPS) -> JsonObject:
    """The steps as a planner may write them: no tool that does not exist, each with arguments of its own shape.

    The goal is not asked for: it is the request, and a model that repeats it only spends tokens.
    """
    llm = _step({"agent": {"const": "llm"}})
    definitions: JsonObject = {}
    if len(tools) > _MOST_BRANCHES:
        names = [tool["name"] for tool in tools]
        branches = [_step({"tool": {"enum": names}, "arguments": {"type": "object"}}), llm]
    else:
        branches = [
            *(
                _step(
                    {"tool": {"const": tool["name"]}, "arguments": _referable(_rooted(tool, f"t{index}", definitions))}
                )
                for index, tool in enumerate(tools)
            ),
            llm,
        ]
    steps: JsonObject = {"type": "array", "items": {"anyOf": branches}, "minItems": 1, "maxItems": max_steps}
    return _with_definitions(_object({"steps": steps}), definitions)


def call_schema(tool: JsonObject) -> JsonObject:
    """`{"tool", "arguments"}` for one tool, its arguments under its own schema."""
    definitions: JsonObject = {}
    arguments = _rooted(tool, "arguments", definitions)
    return _with_definitions(_object({"tool": {"const": tool["name"]}, "arguments": arguments}), definitions)


def offered_schema(tool: JsonObject) -> JsonObject:
    """The schema of a tool's arguments as models are offered it."""
    return tool.get("offered_schema", tool["input_schema"])


def tool_choice_schema(names: Sequence[str]) -> JsonObject:
    """`{"tool"}`: one of `names`, or null when none fits."""
    return _object({"tool": {"enum": [*names, None]}})


def _step(use: JsonObject) -> JsonObject:
    return _object({"step_id": _STEP_ID, "description": _DESCRIPTION, **use})


def _object(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _rooted(tool: JsonObject, name: str, definitions: JsonObject) -> JsonObject:
    """The schema of a tool's arguments; what it refers to is added to `definitions`, which stand at the root."""
    arguments, defined = nest_schema(offered_schema(tool), name)
    definitions.update(defined)
    return arguments


def _with_definitions(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    return {**schema, "$defs": definitions} if definitions else schema


def _referable(schema: Json) -> Json:
    """`schema` with a reference to an earlier result allowed wherever an argument is no string."""
    if not isinstance(schema, dict):
        return schema
    known = cast(JsonObject, schema)
    for key in ("anyOf", "oneOf"):
        if key in known:
            return {**known, key: [_referable(branch) for branch in known[key]]}
    if "properties" not in known:
        return known
    properties = cast(dict[str, Json], known["properties"])
    return {**known, "properties": {name: _or_reference(inner) for name, inner in properties.items()}}


def _or_reference(schema: Json) -> Json:
    is_string = isinstance(schema, dict) and cast(JsonObject, schema).get("type") == "string"
    return cast(Json, schema if is_string else {"anyOf": [schema, _REFERENCE]})


def describe_shape(schema: Json) -> str:
    """A schema as a model reads it fastest: {"query": string, "limit"?: number}."""
    if not isinstance(schema, dict):
        return "any"
    known = cast(JsonObject, schema)
    if "const" in known or "enum" in known:
        return " | ".join(canonical_json(value) for value in known.get("enum", [known.get("const")]))
    for key in ("anyOf", "oneOf"):
        if key in known:
            return " or ".join(describe_shape(branch) for branch in known[key])
    if "properties" in known:
        required = known.get("required", [])
        fields = (
            f'"{name}"{"" if name in required else "?"}: {describe_shape(inner)}'
            for name, inner in known["properties"].items()
        )
        return "{" + ", ".join(fields) + "}"
    if known.get("type") == "array":
        return f"[{describe_shape(known.get('items'))}]"
    kind = known.get("type", "any")
    return " | ".join(cast(list[str], kind)) if isinstance(kind, list) else str(kind)
