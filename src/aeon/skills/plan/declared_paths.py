"""What a schema says about a path into a value: whether nothing can ever stand there."""

from collections.abc import Sequence
from typing import cast

from aeon.base.json import Json, JsonObject

_OPEN_KEYWORDS = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "dependentSchemas"}
)
"""Keywords by which a schema may say more than it shows at once: below them nothing is held against a path."""

_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})


def impossible_part(schema: Json, parts: Sequence[str]) -> str | None:
    """Why no value that fits `schema` has anything at `parts`, or None when one may.

    Only closed objects and plain types are conclusive; `allOf` and its like leave everything open.
    """
    for part in parts:
        if not isinstance(schema, dict) or _OPEN_KEYWORDS & schema.keys():
            return None
        level = cast(JsonObject, schema)
        reason = _reason(level, part)
        if reason is not None:
            return reason
        schema = _below(level, part)
    return None


def _reason(level: JsonObject, part: str) -> str | None:
    kind = level.get("type")
    if isinstance(kind, str) and kind in _SCALARS:
        return f"there is nothing inside a {kind}, so no {part!r}"
    if kind == "array":
        return None if part.removeprefix("-").isdecimal() else f"a list is numbered from 0, so it has no {part!r}"
    properties = level.get("properties")
    known = cast(JsonObject, properties) if isinstance(properties, dict) else {}
    if kind == "object" and level.get("additionalProperties") is False and part not in known:
        return f"has no {part!r}; it has {', '.join(list(known)[:20]) or 'nothing'}"
    return None


def _below(level: JsonObject, part: str) -> Json:
    if level.get("type") == "array":
        return None if "prefixItems" in level else level.get("items")
    properties = level.get("properties")
    return cast(JsonObject, properties).get(part) if isinstance(properties, dict) else None
