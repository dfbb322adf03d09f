"""Which kinds of JSON a schema lets through, also deep inside it: to see that a result can never fit a parameter."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TypeAlias, cast

from aeon.base.json import Json, JsonObject

JsonTypes: TypeAlias = frozenset[str]

ALL_TYPES: JsonTypes = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
"""What is known of a value when nothing is."""

TEXT_SCHEMA: JsonObject = {"type": "string"}

_MOST_SCHEMAS = 300
"""Schemas that one question may look at: references can be made to fan out, and to go round, without end."""


def allowed_types(schema: Json, root: Json) -> JsonTypes:
    """The kinds of a value that fits `schema`, `$ref` taken from `root`. Empty: nothing fits; in doubt: all of them."""
    return _Reader(root).kinds(schema)


def schema_at(schema: Json, path: Sequence[str], root: Json) -> Json:
    """The schema of what stands at `path` in a value that fits `schema`: True where nothing is known."""
    reader = _Reader(root)
    return reduce(reader.inner, path, schema)


def describe_types(found: JsonTypes) -> str:
    """Kinds for a message."""
    shown = found - {"integer"} if "number" in found else found
    return " or ".join(sorted(shown)) or "nothing"


class _Reader:
    """One question to a schema."""

    def __init__(self, root: Json) -> None:
        self._root = root
        self._left = _MOST_SCHEMAS

    def kinds(self, schema: Json) -> JsonTypes:
        if schema is False:
            return frozenset()
        if not isinstance(schema, dict) or not self._may_go_on():
            return ALL_TYPES
        said = cast(JsonObject, schema)
        found = _own_kinds(said)
        if "$ref" in said:
            found &= self.kinds(self._referred(said["$ref"]))
        for keyword in ("anyOf", "oneOf"):
            if keyword in said:
                found &= frozenset[str]().union(*map(self.kinds, _listed(said[keyword])))
        for each in _listed(said.get("allOf")):
            found &= self.kinds(each)
        return found

    def inner(self, schema: Json, part: str) -> Json:
        if not isinstance(schema, dict) or not self._may_go_on():
            return schema is not False
        said = cast(JsonObject, schema)
        all_of = [_own_inner(said, self.kinds(said), part)]
        if "$ref" in said:
            all_of.append(self.inner(self._referred(said["$ref"]), part))
        all_of += [
            {"anyOf": [self.inner(each, part) for each in _listed(said[keyword])]}
            for keyword in ("anyOf", "oneOf")
            if keyword in said
        ]
        all_of += [self.inner(each, part) for each in _listed(said.get("allOf"))]
        return {"allOf": all_of} if len(all_of) > 1 else all_of[0]

    def _may_go_on(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def _referred(self, pointer: Json) -> Json:
        """What a reference inside the root points to; True for any other."""
        if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
            return True
        found = self._root
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or key not in found:
                return True
            found = cast(JsonObject, found)[key]
        return found


def _listed(value: Json) -> list[Json]:
    return cast(list[Json], value) if isinstance(value, list) else []


def _own_kinds(schema: JsonObject) -> JsonTypes:
    found = ALL_TYPES
    if "type" in schema:
        declared: Json = schema["type"]
        found &= _with_integers(_listed(declared) or [declared])
    if "const" in schema:
        found &= types_of_value(schema["const"])
    if "enum" in schema:
        found &= frozenset[str]().union(*map(types_of_value, _listed(schema["enum"])))
    return found


def _with_integers(names: Iterable[Json]) -> JsonTypes:
    """Every integer is a number."""
    found = frozenset(str(name) for name in names)
    return found | {"integer"} if "number" in found else found


def types_of_value(value: Json) -> JsonTypes:
    """The kinds that a value is of: an integer is a number too."""
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int | float):
        return frozenset({"integer", "number"} if value == int(value) else {"number"})
    return frozenset({"string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"})


def _own_inner(schema: JsonObject, found: JsonTypes, part: str) -> Json:
    """What the schema's own words say about a part of its value, which is an object's field or a list's item."""
    ways: list[Json] = []
    if "object" in found:
        ways.append(_field(schema, part))
    if "array" in found and part.removeprefix("-").isdecimal():
        ways.append(_item(schema, int(part)))
    return {"anyOf": ways} if len(ways) > 1 else ways[0] if ways else False


def _field(schema: JsonObject, name: str) -> Json:
    fields: Json = schema.get("properties")
    if isinstance(fields, dict) and name in fields:
        return cast(JsonObject, fields)[name]
    return True if "patternProperties" in schema else schema.get("additionalProperties", True)


def _item(schema: JsonObject, place: int) -> Json:
    listed = _listed(schema.get("prefixItems")) or _listed(schema.get("items"))
    if 0 <= place < len(listed):
        return listed[place]
    rest: Json = schema.get("items", True)
    return rest if place >= len(listed) and not isinstance(rest, list) else True
