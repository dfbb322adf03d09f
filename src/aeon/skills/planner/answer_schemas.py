"""Schemas of a planner's answers, with existing scripts and ids only (skills 7, core 11).

Pure: no I/O.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import UNESCAPED_CHARACTER, nest_schema
from aeon.skills.models import SkillScript

MAX_NODES = 8
"""Maximum number of nodes that a model's plan may add."""

MAX_CHOSEN_SKILLS = 4
"""Maximum number of skills that a model may choose for one request."""

_TEXT_CONSTRAINTS = ("pattern", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "items")
"""Keywords that restrict text beyond its length."""

_ANNOTATIONS = frozenset({"description", "title", "default", "maxLength", "minLength"})
"""Keywords that do not restrict a value's type."""

_LONGEST_TEXT = 400
"""Maximum characters of one text that a planner writes."""


def choice_schema(names: Sequence[str]) -> JsonObject:
    """Returns the schema of `{"skills"}`, a list of some of `names`."""
    chosen: JsonObject = {"type": "array", "items": {"enum": list(dict.fromkeys(names))}, "maxItems": MAX_CHOSEN_SKILLS}
    return _object({"skills": chosen})


def nodes_schema(scripts: Sequence[SkillScript], finished: Sequence[str]) -> JsonObject:
    """Returns the schema of `{"scripts", "count", "tools"}`.

    It describes the nodes to add after the `finished` ones, in slots. Slot k fixes its toolId, takes one of `scripts`,
    and depends on and refers to earlier ids only. So the schema excludes unknown scripts, disabled skills, duplicate
    ids, and unknown or circular dependencies. The scripts and their count come first, so that a model decides what to
    do before it writes how: otherwise small models fill every slot or leave out half of the request.
    """
    ids = [*finished, *fresh_ids(finished)]
    paths = sorted({path for script in scripts for path in output_paths(script.output_schema)})
    embedded = [
        nest_schema(script.input_schema or {"type": "object"}, f"input{at}") for at, script in enumerate(scripts)
    ]
    slots = {
        f"slot{number}": {
            "anyOf": [
                _slot(script, input_schema, ids[at], _EarlierNodes(ids[:at], paths))
                for script, (input_schema, _) in zip(scripts, embedded, strict=True)
            ]
        }
        for number, at in enumerate(range(len(finished), len(ids)), 1)
    }
    order: JsonObject = {
        "type": "array",
        "items": {"enum": [script.tool_path for script in scripts]},
        "minItems": 1,
        "maxItems": len(slots),
    }
    references = [{"$ref": f"#/$defs/{name}"} for name in slots]
    defined = {name: schema for _, defines in embedded for name, schema in defines.items()}
    return {"anyOf": [_plan_of(order, references[: at + 1]) for at in range(len(references))], "$defs": slots | defined}


def _plan_of(order: JsonObject, slots: Sequence[JsonObject]) -> JsonObject:
    count = len(slots)
    tools: JsonObject = {"type": "array", "prefixItems": list(slots), "minItems": count, "maxItems": count}
    return _object({"scripts": order, "count": {"const": count}, "tools": tools})


def fresh_ids(finished: Sequence[str]) -> list[str]:
    """Returns the ids of the slots: t1, t2, ... without the used ones."""
    used = set(finished)
    numbered = (f"t{number}" for number in range(1, len(used) + MAX_NODES + 1))
    return [name for name in numbered if name not in used][:MAX_NODES]


def output_paths(schema: Json, path: str = "") -> list[str]:
    """Returns the paths of the values of a declared output, as references name them."""
    properties: Json = cast(JsonObject, schema).get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return [path] if path else []
    return [
        inner_path
        for name, inner in cast(JsonObject, properties).items()
        for inner_path in output_paths(inner, f"{path}.{name}" if path else name)
    ]


class _EarlierNodes(NamedTuple):
    """What a slot may refer to: earlier nodes, and the paths of the scripts' outputs."""

    ids: Sequence[str]
    paths: Sequence[str]

    @property
    def reference(self) -> list[JsonObject]:
        """The schemas of a value that is one reference; empty if there is nothing to refer to."""
        listed = [f"{{tool.{name}.{path}}}" for name in self.ids for path in self.paths]
        return [{"enum": listed}] if listed else []

    def text(self, most: int) -> str:
        """Returns a pattern for text of at most `most` characters.

        Braces may contain only existing references.
        """
        if not self.paths:
            return rf"^{UNESCAPED_CHARACTER}{{0,{most}}}$"
        ids, paths = ("|".join(map(re.escape, values)) for values in (self.ids, self.paths))
        return rf"^({UNESCAPED_CHARACTER}|\{{tool\.({ids})\.({paths})\}}){{0,{most}}}$"


def _slot(script: SkillScript, input_schema: JsonObject, tool_id: str, earlier: _EarlierNodes) -> JsonObject:
    node: JsonObject = {
        "toolId": {"const": tool_id},
        "toolPath": {"const": script.tool_path},
        "input": _planner_schema(input_schema, earlier),
    }
    if earlier.ids:
        node["dependencies"] = {"type": "array", "items": {"enum": list(earlier.ids)}, "maxItems": len(earlier.ids)}
    return _object(node)


def _planner_schema(schema: Json, earlier: _EarlierNodes) -> Json:
    """Returns an input's schema for the planner.

    Free values are text or numbers; references are allowed where they may occur. If any type is allowed, a small model
    invents a structure that an earlier node should provide.
    """
    if not isinstance(schema, dict):
        return schema
    known = cast(JsonObject, schema)
    for key in ("anyOf", "oneOf"):
        if key in known:
            return {**known, key: [_planner_schema(branch, earlier) for branch in known[key]]}
    if "properties" not in known:
        return known
    properties = cast(dict[str, Json], known["properties"])
    return {**known, "properties": {name: _property(inner, earlier) for name, inner in properties.items()}}


def _property(schema: Json, earlier: _EarlierNodes) -> JsonObject:
    node = cast(JsonObject, schema) if isinstance(schema, dict) else {}
    offered = [_text(node, earlier)] if _takes_text(node) else [node]
    if not node.keys() - _ANNOTATIONS:
        offered += [{"type": "number"}, {"type": "boolean"}]
    offered += earlier.reference
    return offered[0] if len(offered) == 1 else {"anyOf": offered}


def _takes_text(node: JsonObject) -> bool:
    """Whether the schema restricts text only by its length."""
    kinds = node.get("type", "string")
    is_text = kinds == "string" or (isinstance(kinds, list) and "string" in kinds)
    return is_text and not any(key in node for key in _TEXT_CONSTRAINTS)


def _text(node: JsonObject, earlier: _EarlierNodes) -> JsonObject:
    most = int(min(node.get("maxLength", _LONGEST_TEXT), _LONGEST_TEXT))  # JSON Schema allows 10.0
    text: JsonObject = {"type": "string", "minLength": node.get("minLength", 0), "maxLength": most}
    return {**text, "pattern": earlier.text(most)} if earlier.ids else text


def _object(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
