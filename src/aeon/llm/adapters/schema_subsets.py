"""The subsets of JSON Schema that the remote APIs can enforce, and the conversion to them. Pure.

The response is always validated against the whole schema afterwards (core 11).
"""

from collections.abc import Iterator
from typing import cast

from aeon.base.json import Json, JsonObject

_ANNOTATIONS = frozenset({"title", "description"})
_SHAPE = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "anyOf", "$ref", "enum", "const"}
)
_STRICT_BOUNDS = frozenset(
    {
        *("pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minItems", "maxItems"),
    }
)
_STRICT = _ANNOTATIONS | _SHAPE | _STRICT_BOUNDS | {"$defs"}
_STRICT_DEPTH = 10
_BOUNDS = _STRICT_BOUNDS - {"format"} | {"minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties"}
_CONSTRAINED = _ANNOTATIONS | _SHAPE | {"default", "format"}
_IGNORED = frozenset({"$defs", "$schema", "$id", "$comment", "examples"})
_DEFS = "#/$defs/"


def fits_strict_mode(schema: Json) -> bool:
    """Whether OpenAI's strict mode accepts `schema`: closed objects, every property required, known keywords only."""
    return isinstance(schema, dict) and cast(JsonObject, schema).get("type") == "object" and _fits_strict(schema, 1)


def _fits_strict(schema: Json, depth: int) -> bool:
    if not isinstance(schema, dict) or depth > _STRICT_DEPTH:
        return False
    node = cast(JsonObject, schema)
    return (
        node.keys() <= _STRICT
        and _has_content_keyword(node)
        and (not _describes_object(node) or _is_closed_and_required(node))
        and all(_fits_strict(inner, depth + deeper) for inner, deeper in _inner(node))
    )


def _has_content_keyword(node: JsonObject) -> bool:
    return any(key in node for key in ("type", "anyOf", "$ref", "enum", "const"))


def _describes_object(node: JsonObject) -> bool:
    kind = node.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in node


def _is_closed_and_required(node: JsonObject) -> bool:
    named = set(node.get("properties", {}))
    return node.get("additionalProperties") is False and set(node.get("required", ())) == named


def _inner(node: JsonObject) -> Iterator[tuple[Json, int]]:
    """The schemas inside `node`, each with its additional depth."""
    yield from ((inner, 1) for inner in node.get("properties", {}).values())
    yield from ((inner, 0) for inner in node.get("$defs", {}).values())
    yield from ((inner, 0) for inner in node.get("anyOf", ()))
    if "items" in node:
        yield node["items"], 1


def constrain_schema(schema: JsonObject) -> JsonObject | None:
    """`schema` in the form for Anthropic's structured outputs, or None if they cannot express it.

    Unsupported bounds (lengths, ranges, patterns) become a note in the description, which the model reads; references
    are expanded. Open objects, recursive schemas and structural keywords (oneOf, if, not) cannot be expressed: closing
    or dropping them would change the model's answer.
    """
    try:
        return _constrained(schema, schema.get("$defs", {}), ())
    except _InexpressibleError:
        return None


class _InexpressibleError(Exception):
    """The schema needs a feature that the format does not have."""


def _constrained(schema: Json, defs: JsonObject, above: tuple[str, ...]) -> JsonObject:
    if not isinstance(schema, dict):
        raise _InexpressibleError
    node = cast(JsonObject, schema)
    if "$ref" in node:
        return _expanded(node, defs, above)
    if not node.keys() <= _CONSTRAINED | _BOUNDS | _IGNORED or not _has_content_keyword(node) or _is_open(node):
        raise _InexpressibleError
    form: JsonObject = {key: value for key, value in node.items() if key in _CONSTRAINED}
    if _describes_object(node):
        form["additionalProperties"] = False
        form["properties"] = {
            name: _constrained(item, defs, above) for name, item in node.get("properties", {}).items()
        }
    if "items" in node:
        form["items"] = _constrained(node["items"], defs, above)
    if "anyOf" in node:
        form["anyOf"] = [_constrained(item, defs, above) for item in node["anyOf"]]
    return _with_note(form, {key: value for key, value in node.items() if key in _BOUNDS})


def _expanded(node: JsonObject, defs: JsonObject, above: tuple[str, ...]) -> JsonObject:
    name = str(node["$ref"]).removeprefix(_DEFS)
    if name not in defs or name in above:
        raise _InexpressibleError
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _constrained({**defs[name], **beside}, defs, (*above, name))


def _is_open(node: JsonObject) -> bool:
    """Whether an object allows unnamed properties; one that only lists its properties is treated as closed."""
    if not _describes_object(node) or node.get("additionalProperties") is False:
        return False
    return "additionalProperties" in node or not node.get("properties")


def _with_note(form: JsonObject, bounds: JsonObject) -> JsonObject:
    if not bounds:
        return form
    note = "(" + ", ".join(f"{key}: {value}" for key, value in sorted(bounds.items())) + ")"
    return {**form, "description": f"{form['description']} {note}" if "description" in form else note}
