"""Fields of a form for the inputs of a tool or a Process: which there are, and what was typed into them. Pure."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject, parse_strict, parse_typed_text
from aeon.platform.processes.checks.json_types import ALL_TYPES, JsonTypes, allowed_types, schema_at, types_of_value
from aeon.platform.processes.expressions.bindings import find_references
from aeon.platform.processes.model import Process

FieldKind: TypeAlias = Literal["text", "integer", "number", "boolean", "choice", "json", "any"]
"""How a field is typed: `json` is JSON alone; `any` is JSON if what was typed is some, else the text itself."""

WHOLE: Final = ""
"""The name of the field that holds all inputs as one JSON object."""

_KINDS: Final[Mapping[frozenset[str], FieldKind]] = {
    frozenset({"string"}): "text",
    frozenset({"integer"}): "integer",
    frozenset({"number"}): "number",
    frozenset({"number", "integer"}): "number",
    frozenset({"boolean"}): "boolean",
    ALL_TYPES - {"null"}: "any",
}


_LIMITS: Final = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
"""Keywords of JSON Schema that a field shows."""


class InputField(NamedTuple):
    """A field of a form. `choices` are the values that a field of the kind `choice` can have.

    `types` are the JSON types of its values, `format` and `limits` are those of its schema, and `default` is what
    counts if nothing is typed; None if there is none.
    """

    name: str
    kind: FieldKind = "any"
    is_required: bool = True
    description: str = ""
    choices: tuple[str, ...] = ()
    types: JsonTypes = ALL_TYPES
    title: str = ""
    format: str = ""
    limits: tuple[tuple[str, str], ...] = ()
    default: str | None = None


class TypedInputs(NamedTuple):
    """What was typed into fields: the values, and what is wrong, by the name of the field."""

    values: JsonObject
    faults: dict[str, str]


def fields_of_schema(schema: JsonObject) -> list[InputField]:
    """The fields for inputs that fit a schema; one for all of them as JSON if it does not name them."""
    properties: Json = schema.get("properties")
    if not isinstance(properties, dict) or (not properties and schema.get("additionalProperties") is not False):
        return [InputField(WHOLE, "json")]
    required: Json = schema.get("required")
    needed = cast(list[Json], required) if isinstance(required, list) else []
    return [_field(name, schema, [name], name in needed) for name in cast(JsonObject, properties)]


def fields_of_process(process: Process, schema_of_tool: Callable[[str], JsonObject | None]) -> list[InputField]:
    """The fields for the inputs of a Process: those of `initialContext`, all of which are required, and the typed ones.

    An untyped input that a step passes whole to a tool has the type that the tool wants; `schema_of_tool` returns the
    input schema of a tool by its id, None for one that the user may not see.
    """
    found = {name: InputField(name) for name in process.initial_context}
    for name, schema in process.inputs.items():
        found[name] = _field(name, {"properties": {name: schema}}, [name], "default" not in schema)
    for step in process.steps:
        schema = schema_of_tool(step.tool) if step.tool else None
        for reference in find_references(step.inputs) if schema is not None else ():
            name = reference.path[0]
            if reference.is_whole and len(reference.path) == 1 and name in found and found[name].kind == "any":
                found[name] = _field(name, schema or {}, [str(part) for part in reference.location], True)
    return list(found.values())


def read_fields(fields: Sequence[InputField], typed: Mapping[str, str]) -> TypedInputs:
    """The values of what was typed, by the names of fields; every fault at once. An empty optional field has none."""
    values: JsonObject = {}
    faults: dict[str, str] = {}
    for field in fields:
        text = typed.get(field.name, "")
        if not text.strip() and not (field.is_required and field.kind in ("text", "any")):
            if field.is_required and field.name != WHOLE:
                faults[field.name] = "It is required."
            continue
        try:
            values[field.name] = _value(field, text)
        except ValueError as error:
            faults[field.name] = str(error)
    if WHOLE in values:
        return TypedInputs(values[WHOLE], faults)
    return TypedInputs(values, faults)


def _field(name: str, schema: JsonObject, path: Sequence[str], is_required: bool) -> InputField:
    """The field for the value at a path of inputs that fit a schema."""
    inner = schema_at(schema, path, schema)
    keywords = cast(JsonObject, inner) if isinstance(inner, dict) else {}
    types = allowed_types(inner, schema)
    field = InputField(
        name,
        _kind_of(types - {"null"}),
        is_required,
        _text_of(keywords, "description"),
        types=types,
        title=_text_of(keywords, "title"),
        format=_text_of(keywords, "format"),
        limits=tuple((each, str(keywords[each])) for each in _LIMITS if _is_number(keywords.get(each))),
        default=_shown(keywords["default"]) if "default" in keywords else None,
    )
    choices: Json = keywords.get("enum")
    if isinstance(choices, list) and all(isinstance(each, str) for each in cast(list[Json], choices)):
        return field._replace(kind="choice", choices=tuple(cast(list[str], choices)))
    return field


def _kind_of(types: JsonTypes) -> FieldKind:
    """How a value of these types is typed. What is a text or another simple value needs no quotes."""
    is_simple = "string" in types and not types & {"array", "object"}
    return _KINDS.get(types) or ("any" if is_simple else "json")


def _text_of(keywords: JsonObject, keyword: str) -> str:
    value: Json = keywords.get(keyword)
    return value if isinstance(value, str) else ""


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(field: InputField, text: str) -> Json:
    """What was typed, as the kind of its field wants it. Raises ValueError, which says what is wrong."""
    match field.kind:
        case "text":
            return text
        case "any":
            value = parse_typed_text(text)
            return value if types_of_value(value) & field.types else text
        case "choice":
            return _chosen(text, field.choices)
        case "boolean":
            return _chosen(text, ("true", "false")) == "true"
        case "integer" | "number":
            return _number(text, field.kind)
        case "json":
            return _json(text, is_object=field.name == WHOLE)


def _json(text: str, *, is_object: bool) -> Json:
    try:
        value = parse_strict(text)
    except ValueError as error:
        raise ValueError(f"It is not JSON: {error}.") from None
    if is_object and not isinstance(value, dict):
        raise ValueError("It is not a JSON object.")
    return cast(Json, value)


def _chosen(text: str, choices: Sequence[str]) -> str:
    if text not in choices:
        raise ValueError(f"It is not one of {', '.join(choices)}.")
    return text


def _number(text: str, kind: Literal["integer", "number"]) -> Json:
    value = parse_typed_text(text.strip())
    wanted = (int,) if kind == "integer" else (int, float)
    if type(value) in wanted:  # True is not a number here
        return value
    raise ValueError("It is not a whole number." if kind == "integer" else "It is not a number.")
