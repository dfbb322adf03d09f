"""Converts the schemas of an OpenAPI document to JSON Schema 2020-12 (platform 6).

A schema that is referred to becomes a definition in `$defs`, so that recursive schemas stay finite.
"""

import re
from collections import deque
from typing import Final, Literal, TypeAlias, cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import schema_problem
from aeon.platform.openapi.document import DocumentPart, OpenApiDocument, UnsupportedError
from aeon.platform.openapi.texts import bounded_text

Direction: TypeAlias = Literal["request", "response"]

_MAX_SCHEMAS = 5000
"""Subschemas of one converted schema, its definitions included."""

_MAX_CHARACTERS = 100_000
_LONGEST_DESCRIPTION = 300
_LONGEST_PATTERN = 1000

_DROPPED: Final = frozenset(
    {"$id", "$schema", "$comment", "$anchor", "$defs", "definitions", "$vocabulary", "nullable", "discriminator", "xml"}
    | {"example", "examples", "externalDocs", "title", "readOnly", "writeOnly", "id"}
)
"""Keywords that OpenAPI adds, that say nothing of a value, or whose meaning references have taken over."""

_SCHEMA: Final = frozenset(
    {"additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"}
    | {"unevaluatedProperties", "unevaluatedItems", "items"}
)
_SCHEMAS_BY_NAME: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})


class SchemaConverter:
    """Converts the schemas of one input or output; they share their definitions."""

    def __init__(self, document: OpenApiDocument, direction: Direction) -> None:
        """In a `request`, fields that are only read are left out; in a `response`, new fields are tolerated."""
        self._document = document
        self._direction = direction
        self._names: dict[str, str] = {}
        self._waiting: deque[tuple[str, DocumentPart]] = deque()
        self._definitions: JsonObject = {}
        self._left = _MAX_SCHEMAS

    def convert(self, at: DocumentPart) -> Json:
        """The schema at a place, in whose `$ref` the names of `definitions` stand. Raises UnsupportedError."""
        converted = self._converted(at)
        while self._waiting:
            name, target = self._waiting.popleft()
            self._definitions[name] = self._converted(target)
        return converted

    def definitions(self) -> JsonObject:
        """`{"$defs": ...}` with what the converted schemas refer to; empty if they refer to nothing."""
        return {"$defs": self._definitions} if self._definitions else {}

    def _converted(self, at: DocumentPart) -> Json:
        self._left -= 1
        if self._left < 0:
            raise UnsupportedError(at.pointer, f"its schema has more than {_MAX_SCHEMAS:,} parts")
        if isinstance(at.value, bool):
            return at.value
        if not isinstance(at.value, dict):
            raise UnsupportedError(at.pointer, "a schema must be an object")
        schema = at.object()
        if "$dynamicRef" in schema or "$recursiveRef" in schema:
            raise UnsupportedError(at.pointer, "its schema has dynamic references")
        converted = {word: self._keyword(word, at.inner(word)) for word in schema if self._is_kept(word)}
        if isinstance(schema.get("$ref"), str):
            converted["$ref"] = self._reference(at)
        _convert_limits(schema, converted)
        self._hide_fields(at, converted)
        return _with_null(converted) if schema.get("nullable") is True else converted

    def _is_kept(self, word: str) -> bool:
        return word not in _DROPPED and not word.startswith("x-") and word != "$ref"

    def _keyword(self, word: str, at: DocumentPart) -> Json:
        if word in _SCHEMAS_BY_NAME:
            return {name: self._converted(inner) for name, inner in at.fields()}
        if word in _SCHEMA_LISTS or (word == "items" and isinstance(at.value, list)):
            return [self._converted(inner) for inner in at.items()]
        if word == "additionalProperties" and at.value is False and self._direction == "response":
            return True
        if word in _SCHEMA:
            return self._converted(at)
        if word in ("description", "pattern"):
            return bounded_text(at.value, _LONGEST_DESCRIPTION) if word == "description" else _pattern(at)
        return at.value

    def _reference(self, at: DocumentPart) -> str:
        """The reference into `$defs` for one into the document; keywords beside it hold, too, as 3.1 has it."""
        target = self._document.find(at.object()["$ref"], at.pointer)
        if target.pointer not in self._names:
            self._names[target.pointer] = name = self._free_name(target.pointer)
            self._definitions[name] = {}  # keeps the order in which they were met
            self._waiting.append((name, target))
        return f"#/$defs/{self._names[target.pointer]}"

    def _free_name(self, pointer: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", pointer.rpartition("/")[2])[:60] or "schema"
        taken = self._names.values()
        return (
            plain
            if plain not in taken
            else next(name for number in range(2, len(taken) + 3) if (name := f"{plain}_{number}") not in taken)
        )

    def _hide_fields(self, at: DocumentPart, converted: JsonObject) -> None:
        """Leave out fields that are only read (request); do not require those that are only written (response)."""
        flag = "readOnly" if self._direction == "request" else "writeOnly"
        hidden = [name for name, inner in at.inner("properties").fields() if self._has_flag(inner, flag)]
        if not hidden:
            return
        if self._direction == "request":
            for name in hidden:
                cast(JsonObject, converted["properties"]).pop(name)
        if isinstance(converted.get("required"), list):
            converted["required"] = [name for name in cast("list[Json]", converted["required"]) if name not in hidden]

    def _has_flag(self, at: DocumentPart, flag: str) -> bool:
        return at.object().get(flag) is True or self._document.resolve(at).object().get(flag) is True


def check_schema(schema: JsonObject, pointer: str, what: str) -> None:
    """Raise UnsupportedError for a converted schema that is invalid or too large."""
    if len(canonical_json(schema)) > _MAX_CHARACTERS:
        raise UnsupportedError(pointer, f"its {what} has more than {_MAX_CHARACTERS:,} characters")
    if problem := schema_problem(schema):
        raise UnsupportedError(pointer, f"its {what} is not a valid JSON Schema: {bounded_text(problem, 300)}")


def types_of(document: OpenApiDocument, at: DocumentPart) -> set[str]:
    """The types that a value of a schema may have; empty if it does not say. Raises UnsupportedError."""
    return _types(document, at, set())


def _types(document: OpenApiDocument, at: DocumentPart, seen: set[str]) -> set[str]:
    """The types of a schema, each of whose parts is looked at once; `seen` are those that were."""
    schema = document.resolve(at)
    if schema.pointer in seen:
        return set()
    seen.add(schema.pointer)
    null = {"null"} if schema.inner("nullable").value is True else set[str]()
    declared = schema.object().get("type")
    if isinstance(declared, str):
        return {declared} | null
    if isinstance(declared, list):
        return {str(each) for each in cast("list[Json]", declared)} | null
    inner = [each for word in ("anyOf", "oneOf", "allOf") for each in schema.inner(word).items()]
    implied = {"object"} if "properties" in schema.object() else {"array"} if "items" in schema.object() else set[str]()
    return null.union(implied, *(_types(document, each, seen) for each in inner))


def _convert_limits(schema: JsonObject, converted: JsonObject) -> None:
    """Convert the exclusive limits of OpenAPI 3.0, which are flags."""
    for flag, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(flag), bool):
            del converted[flag]
            if schema[flag] and limit in converted:
                converted[flag] = converted.pop(limit)
    if isinstance(converted.get("items"), list):  # the tuples of older drafts
        converted["prefixItems"] = converted.pop("items")


def _with_null(schema: JsonObject) -> JsonObject:
    """The schema, which also allows null, as `nullable` in OpenAPI 3.0 means it."""
    declared = schema.get("type")
    if not schema.keys().isdisjoint({"$ref", "allOf", "anyOf", "oneOf"}):
        return {"anyOf": [schema, {"type": "null"}]}
    if declared is None:
        return schema
    types = [declared] if isinstance(declared, str) else cast("list[Json]", declared)
    nullable = {**schema, "type": types if "null" in types else [*types, "null"]}
    if isinstance(schema.get("enum"), list) and None not in cast("list[Json]", schema["enum"]):
        nullable["enum"] = [*cast("list[Json]", schema["enum"]), None]
    return nullable


def _pattern(at: DocumentPart) -> Json:
    if isinstance(at.value, str) and len(at.value) > _LONGEST_PATTERN:
        raise UnsupportedError(at.pointer, f"its pattern has more than {_LONGEST_PATTERN:,} characters")
    return at.value
