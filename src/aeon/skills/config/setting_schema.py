"""Reads the fields of a settings schema: type, default, secrecy (skills 10). Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from aeon.base.json import Json, JsonObject, copy_json, parse_strict

HIDDEN = "[hidden]"

_SECRET_NAME = re.compile(r"(api|access|private|secret)[_-]?key|(^|[_-])(token|secret|password|passwd)$", re.IGNORECASE)
"""Names of settings that hold a secret, whether their schema says so or not: `apiKey`, `auth_token`."""

_DEEPEST_DEFAULT = 64
"""Maximum nesting of schemas from which defaults are filled in: recursive schemas have no end."""

_COMBINERS = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("if", "then", "else", "not")
_LISTED = ("items", "prefixItems", "contains", "additionalItems", "unevaluatedItems")


def subschemas(schema: Json, root: JsonObject) -> Iterator[JsonObject]:
    """Yields the schema and all that it includes, each once.

    It follows `$ref`, allOf, anyOf, oneOf, not and if. Schemas that apply only if another field is present
    (dependentSchemas) are included.
    """
    seen: set[int] = set()
    waiting: list[Json] = [schema]
    while waiting:
        layer = waiting.pop(0)
        if not isinstance(layer, dict) or id(cast(object, layer)) in seen:
            continue
        here = cast(JsonObject, layer)
        seen.add(id(here))
        yield here
        waiting += [here[key] for key in _BRANCHES if key in here]
        for key in _COMBINERS:
            members = here.get(key)
            waiting += cast(list[Json], members) if isinstance(members, list) else []
        dependent: Any = here.get("dependentSchemas")
        waiting += cast(JsonObject, dependent).values() if isinstance(dependent, dict) else []
        if isinstance(here.get("$ref"), str):
            waiting.append(_resolve_reference(here["$ref"], root))


def property_schemas(schema: Json, root: JsonObject) -> dict[str, list[JsonObject]]:
    """Returns every schema that applies to each named field."""
    schemas_by_field: dict[str, list[JsonObject]] = {}
    for layer in subschemas(schema, root):
        named: Any = layer.get("properties")
        for name, field in cast(JsonObject, named).items() if isinstance(named, dict) else ():
            if isinstance(field, dict):
                schemas_by_field.setdefault(name, []).append(cast(JsonObject, field))
    return schemas_by_field


def is_secret(name: str, schemas: Sequence[JsonObject], root: JsonObject) -> bool:
    """Whether a field must never be shown or logged: its schema says so, or it is a text whose name suggests it."""
    layers = [layer for schema in schemas for layer in subschemas(schema, root)]
    if any(layer.get("writeOnly") is True or layer.get("format") == "password" for layer in layers):
        return True
    types = {each for schema in schemas for each in field_types(schema, root)} or {"string"}
    return "string" in types and _SECRET_NAME.search(name) is not None


def field_types(schema: Json, root: JsonObject) -> tuple[str, ...]:
    """Returns the JSON types that the field's schema declares."""
    types: list[str] = []
    for layer in subschemas(schema, root):
        declared: Any = layer.get("type")
        types += (
            [declared]
            if isinstance(declared, str)
            else cast("list[str]", declared)
            if isinstance(declared, list)
            else []
        )
    return tuple(dict.fromkeys(types))


def with_defaults(value: JsonObject, schema: JsonObject, root: JsonObject) -> JsonObject:
    """Returns a copy of the object with defaults for absent fields, at every level.

    A field that contains itself, by a reference to its parent's schema, gets its default once.
    """
    filled: JsonObject = copy_json(value)
    _fill(filled, [schema], root, ())
    return filled


def _fill(filled: JsonObject, schemas: Sequence[JsonObject], root: JsonObject, above: tuple[int, ...]) -> None:
    """Fills each field once, by all schemas that apply to it.

    `above` are the schemas of its parents, by id.
    """
    named: dict[str, list[JsonObject]] = {}
    for schema in schemas:
        for name, fields in property_schemas(schema, root).items():
            named[name] = _distinct([*named.get(name, []), *fields])
    for name, fields in named.items():
        defaults = [layer["default"] for each in fields for layer in subschemas(each, root) if "default" in layer]
        own = tuple(map(id, fields))
        if name not in filled and defaults and set(own).isdisjoint(above):
            filled[name] = copy_json(defaults[0])
        if isinstance(filled.get(name), dict) and len(above) < _DEEPEST_DEFAULT:
            _fill(filled[name], fields, root, (*above, *own))


def secret_paths(value: Json, schema: JsonObject, root: JsonObject) -> dict[str, Json]:
    """Returns the secret fields of a value by path."""
    return dict(_secrets("", value, [schema], root, "$"))


def _secrets(
    name: str, value: Json, schemas: Sequence[JsonObject], root: JsonObject, path: str
) -> Iterator[tuple[str, Json]]:
    """Yields the secret fields of the value of a field, to which all of `schemas` apply."""
    if is_secret(name, schemas, root):
        yield path, value
    elif isinstance(value, dict):
        named = [property_schemas(schema, root) for schema in schemas]
        for key, item in cast(JsonObject, value).items():
            of_key = [
                field
                for schema, fields in zip(schemas, named, strict=True)
                for field in fields.get(key) or _unnamed_schemas(schema, root)
            ]
            yield from _secrets(key, item, _distinct(of_key), root, f"{path}.{key}")
    elif isinstance(value, list):
        of_items = _distinct([each for schema in schemas for each in item_schemas(schema, root)])
        for index, item in enumerate(cast(list[Json], value)):
            yield from _secrets(name, item, of_items, root, f"{path}[{index}]")


def _distinct(schemas: Sequence[JsonObject]) -> list[JsonObject]:
    """Returns each schema once: duplicates would multiply at every level."""
    return list({id(schema): schema for schema in schemas}.values())


def hide_paths(value: Json, hidden: "dict[str, Json]", path: str = "$") -> Json:
    """Returns a copy with the fields at these paths hidden.

    Empty fields stay, to show that they are not set.
    """
    if path in hidden:
        return HIDDEN if value not in ("", None) else value
    if isinstance(value, dict):
        return {key: hide_paths(item, hidden, f"{path}.{key}") for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [hide_paths(item, hidden, f"{path}[{index}]") for index, item in enumerate(cast(list[Json], value))]
    return value


def parse_typed(text: str, schema: Json, root: JsonObject) -> Json:
    """Converts a text to its field's type.

    Returns the text itself if that fails, for the validator to reject.
    """
    wanted = field_types(schema, root)
    for layer in subschemas(schema, root):
        for choice in cast(list[Json], layer.get("enum") if isinstance(layer.get("enum"), list) else []):
            if not isinstance(choice, str) and text == str(choice).lower():
                return choice
    for kind in ("integer", "number", "boolean", "array", "object", "null"):
        if kind in wanted and (parsed := _parse_as(kind, text, schema, root)) is not None:
            return parsed[0]
    if wanted or not text:
        return text
    return _json(text, text)


def _parse_as(kind: str, text: str, schema: Json, root: JsonObject) -> tuple[Json] | None:
    """Returns the text as this type, wrapped in a tuple, or None if it does not have that type."""
    stripped = text.strip()
    if kind == "boolean":
        known = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        return (known[stripped.lower()],) if stripped.lower() in known else None
    if kind == "array" and not stripped.startswith("["):
        items = next(iter(item_schemas(schema, root)), cast(JsonObject, {}))
        return ([parse_typed(part.strip(), items, root) for part in text.split(",") if part.strip()],)
    if kind == "null":
        return (None,) if stripped == "null" else None
    value: Json = _json(stripped, None)
    expected = {"integer": (int,), "number": (int, float), "array": (list,), "object": (dict,)}[kind]
    return (value,) if type(value) in expected else None


def _json(text: str, otherwise: Json) -> Json:
    try:
        return parse_strict(text)
    except ValueError:
        return otherwise


def item_schemas(schema: Json, root: JsonObject) -> list[JsonObject]:
    """Returns the schemas of a list's items, for all positions."""
    declared: list[Json] = [layer[key] for layer in subschemas(schema, root) for key in _LISTED if key in layer]
    schemas = [
        candidate
        for value in declared
        for candidate in (cast(list[Json], value) if isinstance(value, list) else [value])
    ]
    return [cast(JsonObject, candidate) for candidate in schemas if isinstance(candidate, dict)]


def _unnamed_schemas(schema: Json, root: JsonObject) -> list[JsonObject]:
    """Returns the schemas for unnamed fields: patternProperties and additionalProperties."""
    schemas: list[JsonObject] = []
    for layer in subschemas(schema, root):
        patterns: Any = layer.get("patternProperties")
        candidates = [*cast(JsonObject, patterns).values()] if isinstance(patterns, dict) else []
        candidates += [layer.get("additionalProperties"), layer.get("unevaluatedProperties")]
        schemas += [cast(JsonObject, each) for each in candidates if isinstance(each, dict)]
    return schemas


def _resolve_reference(reference: str, root: JsonObject) -> Json:
    """Resolves `#/a/b`, or the anchor `#name`, in the document.

    Returns None for other references.
    """
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        return _resolve_anchor(reference.removeprefix("#"), root) if reference.startswith("#") else None
    value: Any = root
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or name not in value:
            return None
        value = cast(JsonObject, value)[name]
    return value


def _resolve_anchor(name: str, root: JsonObject) -> Json:
    waiting: list[Json] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            here = cast(JsonObject, node)
            if here.get("$anchor") == name:
                return here
            waiting += here.values()
        elif isinstance(node, list):
            waiting += cast(list[Json], node)
    return None
