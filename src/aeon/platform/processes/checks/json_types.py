"""Computes which JSON types a schema allows, also deep inside it.

With them a check finds results that can never fit an input.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TypeAlias, cast

from aeon.base.json import Json, JsonObject
from aeon.base.suggestions import closest_name

JsonTypes: TypeAlias = frozenset[str]

ALL_TYPES: JsonTypes = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
"""The types of a value about which nothing is known."""

TEXT_SCHEMA: JsonObject = {"type": "string"}

_MAX_SCHEMAS = 300
"""Schemas that one query may visit, because references can fan out or loop without end."""


_OTHER_DECLARATIONS = frozenset(
    {
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "propertyNames",
        "dependentSchemas",
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
    }
)
"""Keywords that declare or restrict properties besides `properties`."""


def allowed_types(schema: Json, root: Json) -> JsonTypes:
    """Return the types of values that fit `schema`, resolving `$ref` in `root`.

    Empty if no value fits; all types if in doubt.
    """
    return _SchemaReader(root).types(schema)


def schema_at(schema: Json, path: Sequence[str], root: Json) -> Json:
    """Return the schema of the value at `path` in a fitting value; True if unknown."""
    reader = _SchemaReader(root)
    return reduce(reader.inner, path, schema)


def declared_fields(schema: Json) -> list[str] | None:
    """Return the fields that an object's schema declares; None if it declares none, or others in another way."""
    fields = cast(JsonObject, schema) if isinstance(schema, dict) else {}
    declared: Json = fields.get("properties")
    if not isinstance(declared, dict) or fields.keys() & _OTHER_DECLARATIONS:
        return None
    return list(dict.fromkeys([*cast(JsonObject, declared), *map(str, _as_list(fields.get("required")))]))


def misspelt_field(schema: Json, path: Sequence[str], root: Json) -> tuple[str, str] | None:
    """Return the first part of a path that its schema does not declare, and the declared field it is close to."""
    reader = _SchemaReader(root)
    for part in path:
        declared = declared_fields(schema)
        if declared and part not in declared:
            near = closest_name(part, declared)
            return None if near is None else (part, near)
        schema = reader.inner(schema, part)
    return None


def describe_types(types: JsonTypes) -> str:
    """Format types for a message."""
    shown = types - {"integer"} if "number" in types else types
    return " or ".join(sorted(shown)) or "nothing"


class _SchemaReader:
    """One query of a schema, with its budget of schemas to visit."""

    def __init__(self, root: Json) -> None:
        self._root = root
        self._budget = _MAX_SCHEMAS

    def types(self, schema: Json) -> JsonTypes:
        if schema is False:
            return frozenset()
        if not isinstance(schema, dict) or not self._take_budget():
            return ALL_TYPES
        fields = cast(JsonObject, schema)
        types = _own_types(fields)
        if "$ref" in fields:
            types &= self.types(self._resolve_reference(fields["$ref"]))
        for keyword in ("anyOf", "oneOf"):
            if keyword in fields:
                types &= frozenset[str]().union(*map(self.types, _as_list(fields[keyword])))
        for each in _as_list(fields.get("allOf")):
            types &= self.types(each)
        return types

    def inner(self, schema: Json, part: str) -> Json:
        if not isinstance(schema, dict) or not self._take_budget():
            return schema is not False
        fields = cast(JsonObject, schema)
        all_of = [_own_inner(fields, self.types(fields), part)]
        if "$ref" in fields:
            all_of.append(self.inner(self._resolve_reference(fields["$ref"]), part))
        all_of += [
            {"anyOf": [self.inner(each, part) for each in _as_list(fields[keyword])]}
            for keyword in ("anyOf", "oneOf")
            if keyword in fields
        ]
        all_of += [self.inner(each, part) for each in _as_list(fields.get("allOf"))]
        return {"allOf": all_of} if len(all_of) > 1 else all_of[0]

    def _take_budget(self) -> bool:
        self._budget -= 1
        return self._budget >= 0

    def _resolve_reference(self, pointer: Json) -> Json:
        """Return what a reference inside the root points to; True for any other reference."""
        if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
            return True
        value = self._root
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(value, dict) or key not in value:
                return True
            value = cast(JsonObject, value)[key]
        return value


def _as_list(value: Json) -> list[Json]:
    return cast(list[Json], value) if isinstance(value, list) else []


def _own_types(schema: JsonObject) -> JsonTypes:
    types = ALL_TYPES
    if "type" in schema:
        declared: Json = schema["type"]
        types &= _with_integers(_as_list(declared) or [declared])
    if "const" in schema:
        types &= types_of_value(schema["const"])
    if "enum" in schema:
        types &= frozenset[str]().union(*map(types_of_value, _as_list(schema["enum"])))
    return types


def _with_integers(names: Iterable[Json]) -> JsonTypes:
    """Return the types, with integer added if number is allowed."""
    types = frozenset(str(name) for name in names)
    return types | {"integer"} if "number" in types else types


def types_of_value(value: Json) -> JsonTypes:
    """Return the types of a value: an integer is a number, too."""
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int | float):
        return frozenset({"integer", "number"} if value == int(value) else {"number"})
    return frozenset({"string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"})


def _own_inner(schema: JsonObject, types: JsonTypes, part: str) -> Json:
    """Return the schema's own constraints on an object's field or a list's item."""
    options: list[Json] = []
    if "object" in types:
        options.append(_field(schema, part))
    if "array" in types and part.removeprefix("-").isdecimal():
        options.append(_item(schema, int(part)))
    return {"anyOf": options} if len(options) > 1 else options[0] if options else False


def _field(schema: JsonObject, name: str) -> Json:
    fields: Json = schema.get("properties")
    if isinstance(fields, dict) and name in fields:
        return cast(JsonObject, fields)[name]
    return True if "patternProperties" in schema else schema.get("additionalProperties", True)


def _item(schema: JsonObject, place: int) -> Json:
    listed = _as_list(schema.get("prefixItems")) or _as_list(schema.get("items"))
    if 0 <= place < len(listed):
        return listed[place]
    rest: Json = schema.get("items", True)
    return rest if place >= len(listed) and not isinstance(rest, list) else True
