"""What a settings schema says of single fields: type, default, whether it is secret (skills 10). Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from aeon.base.json import Json, JsonObject, copy_json, parse_strict

HIDDEN = "[hidden]"

_DEEPEST_DEFAULT = 64
"""Schemas that defaults are filled in by, one inside the other: a value may be nested without end."""

_COMBINERS = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("if", "then", "else", "not")
_LISTED = ("items", "prefixItems", "contains", "additionalItems", "unevaluatedItems")


def subschemas(schema: Json, root: JsonObject) -> Iterator[JsonObject]:
    """The schema itself and all that it takes in, each once: by `$ref` in the document, allOf, anyOf, oneOf, not, if.

    What holds only while another field is there (dependentSchemas) counts, too.
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
    """Each named field with every schema that applies to it."""
    found: dict[str, list[JsonObject]] = {}
    for layer in subschemas(schema, root):
        named: Any = layer.get("properties")
        for name, field in cast(JsonObject, named).items() if isinstance(named, dict) else ():
            if isinstance(field, dict):
                found.setdefault(name, []).append(cast(JsonObject, field))
    return found


def is_secret(schema: Json, root: JsonObject) -> bool:
    """Whether a field is never shown or logged."""
    return any(
        layer.get("writeOnly") is True or layer.get("format") == "password" for layer in subschemas(schema, root)
    )


def field_types(schema: Json, root: JsonObject) -> tuple[str, ...]:
    """The JSON types that a field may have, as far as its schema says."""
    found: list[str] = []
    for layer in subschemas(schema, root):
        said: Any = layer.get("type")
        found += [said] if isinstance(said, str) else cast("list[str]", said) if isinstance(said, list) else []
    return tuple(dict.fromkeys(found))


def with_defaults(value: JsonObject, schema: JsonObject, root: JsonObject) -> JsonObject:
    """The object with each absent field that has a default, at every level; shares nothing with its arguments.

    A field that stands inside itself, by a reference to what contains it, has its default once.
    """
    filled: JsonObject = copy_json(value)
    _fill(filled, [schema], root, ())
    return filled


def _fill(filled: JsonObject, schemas: Sequence[JsonObject], root: JsonObject, above: tuple[int, ...]) -> None:
    """Each field once, by all the schemas that apply to it. `above` are the schemas of the fields that it stands in."""
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
    """The secret fields that a value holds: path and content."""
    return dict(_secrets(value, [schema], root, "$"))


def _secrets(value: Json, schemas: Sequence[JsonObject], root: JsonObject, path: str) -> Iterator[tuple[str, Json]]:
    """Those of a value to which all of `schemas` apply."""
    if any(is_secret(schema, root) for schema in schemas):
        yield path, value
    elif isinstance(value, dict):
        named = [property_schemas(schema, root) for schema in schemas]
        for key, item in cast(JsonObject, value).items():
            of_key = [
                field
                for schema, fields in zip(schemas, named, strict=True)
                for field in fields.get(key) or _unnamed_schemas(schema, root)
            ]
            yield from _secrets(item, _distinct(of_key), root, f"{path}.{key}")
    elif isinstance(value, list):
        of_items = _distinct([each for schema in schemas for each in item_schemas(schema, root)])
        for index, item in enumerate(cast(list[Json], value)):
            yield from _secrets(item, of_items, root, f"{path}[{index}]")


def _distinct(schemas: Sequence[JsonObject]) -> list[JsonObject]:
    """Each once: taken as often as they are named, they would multiply at every level."""
    return list({id(schema): schema for schema in schemas}.values())


def hide_paths(value: Json, hidden: "dict[str, Json]", path: str = "$") -> Json:
    """A copy with the fields at these paths hidden; empty ones stay, so that a reader sees that they are not set."""
    if path in hidden:
        return HIDDEN if value not in ("", None) else value
    if isinstance(value, dict):
        return {key: hide_paths(item, hidden, f"{path}.{key}") for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [hide_paths(item, hidden, f"{path}[{index}]") for index, item in enumerate(cast(list[Json], value))]
    return value


def parse_typed(text: str, schema: Json, root: JsonObject) -> Json:
    """A text as the type that its field wants; the text itself where it is none, for the validator to refuse."""
    wanted = field_types(schema, root)
    for layer in subschemas(schema, root):
        for choice in cast(list[Json], layer.get("enum") if isinstance(layer.get("enum"), list) else []):
            if not isinstance(choice, str) and text == str(choice).lower():
                return choice
    for kind in ("integer", "number", "boolean", "array", "object", "null"):
        if kind in wanted and (found := _parse_as(kind, text, schema, root)) is not None:
            return found[0]
    if wanted or not text:
        return text
    return _json(text, text)


def _parse_as(kind: str, text: str, schema: Json, root: JsonObject) -> tuple[Json] | None:
    """The text as this type, wrapped, or None when it is no such thing."""
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
    """The schemas of a list's items, whichever place in it they are for."""
    said: list[Json] = [layer[key] for layer in subschemas(schema, root) for key in _LISTED if key in layer]
    each = [one for some in said for one in (cast(list[Json], some) if isinstance(some, list) else [some])]
    return [cast(JsonObject, one) for one in each if isinstance(one, dict)]


def _unnamed_schemas(schema: Json, root: JsonObject) -> list[JsonObject]:
    """Schemas of a field that is not named: patternProperties as a whole, additionalProperties."""
    found: list[JsonObject] = []
    for layer in subschemas(schema, root):
        patterns: Any = layer.get("patternProperties")
        candidates = [*cast(JsonObject, patterns).values()] if isinstance(patterns, dict) else []
        candidates += [layer.get("additionalProperties"), layer.get("unevaluatedProperties")]
        found += [cast(JsonObject, each) for each in candidates if isinstance(each, dict)]
    return found


def _resolve_reference(reference: str, root: JsonObject) -> Json:
    """What `#/a/b`, or `#name` by an anchor, means in the document; other references mean nothing here."""
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
