"""The schemas of a planner's answers: what does not exist cannot be written down (skills 7, core 11). Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import UNESCAPED_CHARACTER, nest_schema
from aeon.skills.models import SkillScript

MAX_NODES = 8
"""Nodes that one plan by a model may add."""

MAX_CHOSEN_SKILLS = 4
"""Skills that a model may choose for one request."""

_TEXT_CONSTRAINTS = ("pattern", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "items")
"""Keywords under which not any text will do."""

_ANNOTATIONS = frozenset({"description", "title", "default", "maxLength", "minLength"})
"""Keywords that say nothing of a value's type."""

_LONGEST_TEXT = 400
"""Characters of one text that a planner writes."""


def choice_schema(names: Sequence[str]) -> JsonObject:
    """`{"skills"}`: some of `names`."""
    chosen: JsonObject = {"type": "array", "items": {"enum": list(dict.fromkeys(names))}, "maxItems": MAX_CHOSEN_SKILLS}
    return _object({"skills": chosen})


def nodes_schema(scripts: Sequence[SkillScript], finished: Sequence[str]) -> JsonObject:
    """`{"scripts", "count", "tools"}`: the nodes to add after the `finished` ones, each in a slot of its own.

    Slot k fixes its toolId, takes only one of `scripts`, and depends on and refers to earlier ids only: an unknown
    script, a disabled skill, a duplicate id, an unknown or circular dependency cannot be written down. Which scripts
    and how many comes first, so that a model decides what is to be done before it writes how: small ones else fill
    every slot, or leave half of the request out.
    """
    ids = [*finished, *fresh_ids(finished)]
    paths = sorted({path for script in scripts for path in output_paths(script.output_schema)})
    taken = [nest_schema(script.input_schema or {"type": "object"}, f"input{at}") for at, script in enumerate(scripts)]
    slots = {
        f"slot{number}": {
            "anyOf": [
                _slot(script, takes, ids[at], _EarlierNodes(ids[:at], paths))
                for script, (takes, _) in zip(scripts, taken, strict=True)
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
    defined = {name: schema for _, defines in taken for name, schema in defines.items()}
    return {"anyOf": [_plan_of(order, references[: at + 1]) for at in range(len(references))], "$defs": slots | defined}


def _plan_of(order: JsonObject, slots: Sequence[JsonObject]) -> JsonObject:
    count = len(slots)
    tools: JsonObject = {"type": "array", "prefixItems": list(slots), "minItems": count, "maxItems": count}
    return _object({"scripts": order, "count": {"const": count}, "tools": tools})


def fresh_ids(finished: Sequence[str]) -> list[str]:
    """The ids of the slots: t1, t2, ... without those that are taken."""
    taken = set(finished)
    numbered = (f"t{number}" for number in range(1, len(taken) + MAX_NODES + 1))
    return [name for name in numbered if name not in taken][:MAX_NODES]


def output_paths(schema: Json, path: str = "") -> list[str]:
    """The paths of the values that a declared output has, as references name them."""
    properties: Json = cast(JsonObject, schema).get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return [path] if path else []
    return [
        found
        for name, inner in cast(JsonObject, properties).items()
        for found in output_paths(inner, f"{path}.{name}" if path else name)
    ]


class _EarlierNodes(NamedTuple):
    """What a slot may refer to: the nodes before it, and the paths that outputs of the scripts have."""

    ids: Sequence[str]
    paths: Sequence[str]

    @property
    def reference(self) -> list[JsonObject]:
        """A value that is one reference, if there is anything to refer to."""
        listed = [f"{{tool.{name}.{path}}}" for name in self.ids for path in self.paths]
        return [{"enum": listed}] if listed else []

    def text(self, most: int) -> str:
        """Text of at most `most` characters in which braces stand for references that exist, and for nothing else."""
        if not self.paths:
            return rf"^{UNESCAPED_CHARACTER}{{0,{most}}}$"
        ids, paths = ("|".join(map(re.escape, some)) for some in (self.ids, self.paths))
        return rf"^({UNESCAPED_CHARACTER}|\{{tool\.({ids})\.({paths})\}}){{0,{most}}}$"


def _slot(script: SkillScript, takes: JsonObject, tool_id: str, earlier: _EarlierNodes) -> JsonObject:
    node: JsonObject = {
        "toolId": {"const": tool_id},
        "toolPath": {"const": script.tool_path},
        "input": _planner_schema(takes, earlier),
    }
    if earlier.ids:
        node["dependencies"] = {"type": "array", "items": {"enum": list(earlier.ids)}, "maxItems": len(earlier.ids)}
    return _object(node)


def _planner_schema(schema: Json, earlier: _EarlierNodes) -> Json:
    """An input's schema as a planner is offered it: free values as text or numbers, references where they may stand.

    A value of any type invites a small model to invent a structure that an earlier node was to give.
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
    """Whether any text will do: nothing but its length is asked for."""
    kinds = node.get("type", "string")
    is_text = kinds == "string" or (isinstance(kinds, list) and "string" in kinds)
    return is_text and not any(key in node for key in _TEXT_CONSTRAINTS)


def _text(node: JsonObject, earlier: _EarlierNodes) -> JsonObject:
    most = int(min(node.get("maxLength", _LONGEST_TEXT), _LONGEST_TEXT))  # JSON Schema allows 10.0
    text: JsonObject = {"type": "string", "minLength": node.get("minLength", 0), "maxLength": most}
    return {**text, "pattern": earlier.text(most)} if earlier.ids else text


def _object(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
