"""The schemas that constrain a model's output, built from the registered tools (core 11)."""

from collections.abc import Sequence
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import UNESCAPED_CHARACTER, nest_schema

MAX_PLAN_STEPS = 50
"""Steps of a plan that a model makes. Plans of users have no such limit."""

_MAX_BRANCHES = 20
"""Tools above which one branch per tool costs more than it helps; only the names stay constrained."""

_REFERENCE: JsonObject = {"type": "string", "pattern": rf"^\{{step\.{UNESCAPED_CHARACTER}+\}}$", "maxLength": 80}
_STEP_ID: JsonObject = {"type": "string", "pattern": "^s[0-9]+$", "maxLength": 4}
_DESCRIPTION: JsonObject = {"type": "string", "minLength": 1, "maxLength": 160}


def plan_schema(tools: Sequence[JsonObject], max_steps: int = MAX_PLAN_STEPS) -> JsonObject:
    """The schema of a planner's steps: only existing tools, each with arguments of its own shape.

    The goal is not included: it is the request, and repeating it would only cost tokens.
    """
    llm = _step({"agent": {"const": "llm"}})
    definitions: JsonObject = {}
    if len(tools) > _MAX_BRANCHES:
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
    """The schema of a tool's arguments in the form for models."""
    return tool.get("offered_schema", tool["input_schema"])


def tool_choice_schema(names: Sequence[str]) -> JsonObject:
    """`{"tool"}`: one of `names`, or null if none fits."""
    return _object({"tool": {"enum": [*names, None]}})


def _step(use: JsonObject) -> JsonObject:
    return _object({"step_id": _STEP_ID, "description": _DESCRIPTION, **use})


def _object(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _rooted(tool: JsonObject, name: str, definitions: JsonObject) -> JsonObject:
    """The schema of a tool's arguments; its referenced definitions are added to the root's `definitions`."""
    arguments, defined = nest_schema(offered_schema(tool), name)
    definitions.update(defined)
    return arguments


def _with_definitions(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    return {**schema, "$defs": definitions} if definitions else schema


def _referable(schema: Json) -> Json:
    """`schema`, which also allows a reference to an earlier result for every argument that is not a string."""
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
    """A schema in short form for prompts: {"query": string, "limit"?: number}."""
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
