"""Describes the request of an operation: a tool's input schema, and how path, query, headers and body are filled."""

import re
from typing import Final, NamedTuple, NoReturn, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import QueryStyle
from aeon.platform.openapi.document import DocumentPart, OpenApiDocument, UnsupportedError
from aeon.platform.openapi.schemas import SchemaConverter, check_schema, types_of
from aeon.platform.openapi.security import HEADER, OWN_HEADERS, SecurityScheme
from aeon.platform.openapi.texts import bounded_text, input_name

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_JSON = re.compile(r"application/(?:json|[a-z0-9.+_-]{1,100}\+json)")
_PATH = re.compile(r"(/[^\s?#{}]*|/(?:[^\s?#{}]|\{[^{}]*\})*)")
_LONGEST_DESCRIPTION = 300

_STYLES: Final[dict[tuple[str, bool], QueryStyle]] = {
    ("form", True): "repeat",
    ("form", False): "comma",
    ("spaceDelimited", True): "repeat",
    ("spaceDelimited", False): "space",
    ("pipeDelimited", True): "repeat",
    ("pipeDelimited", False): "pipe",
    ("deepObject", True): "deep",
    ("deepObject", False): "deep",
}


class RequestParts(NamedTuple):
    """What a tool sends: its input schema, the parts of its operation, and what of the request was left out."""

    input_schema: JsonObject
    operation: JsonObject
    notes: tuple[str, ...]


class _Parameter(NamedTuple):
    at: DocumentPart
    name: str
    place: str
    is_required: bool


class RequestBuilder:
    """Builds the request of one operation."""

    def __init__(self, document: OpenApiDocument, path: str, path_item: DocumentPart, operation: DocumentPart) -> None:
        self._document = document
        self._path = path
        self._path_item = path_item
        self._operation = operation
        self._converter = SchemaConverter(document, "request")
        self._properties: JsonObject = {}
        self._required: list[str] = []
        self._query: JsonObject = {}
        self._styles: JsonObject = {}
        self._headers: dict[str, str] = {}
        self._path_inputs: dict[str, str] = {}
        self._notes: list[str] = []

    def build(self, schemes: tuple[SecurityScheme, ...]) -> RequestParts:
        """The request; parameters that carry a secret are left out. Raises UnsupportedError."""
        carried = {each.parameter for each in schemes}
        for parameter in self._parameters():
            if (parameter.place, _key(parameter)) not in carried:
                self._add_parameter(parameter)
        operation: JsonObject = {"path": self._filled_path()}
        body = self._body()
        parts: JsonObject = {"query": self._query, "queryStyles": self._styles, "headers": self._headers, **body}
        operation |= {name: part for name, part in parts.items() if part not in ({}, None)}
        schema: JsonObject = {"type": "object", "properties": self._properties}
        schema |= {"required": self._required} if self._required else {}
        schema |= {"additionalProperties": False, **self._converter.definitions()}
        check_schema(schema, self._operation.pointer, "input schema")
        return RequestParts(schema, operation, tuple(self._notes))

    def _parameters(self) -> list[_Parameter]:
        """The parameters of the path and the operation, whose own come first; each once."""
        found: dict[tuple[str, str], _Parameter] = {}
        for owner in (self._path_item, self._operation):
            for at in owner.inner("parameters").items():
                resolved = self._document.resolve(at)
                name, place = resolved.inner("name").text(), resolved.inner("in").text()
                is_required = resolved.inner("required").value is True or place == "path"
                found[name, place] = _Parameter(resolved, name, place, is_required)
        return list(found.values())

    def _add_parameter(self, parameter: _Parameter) -> None:
        """Add a parameter. One that cannot be sent is left out with a note if it is optional."""
        try:
            match parameter.place:
                case "path" if f"{{{parameter.name}}}" not in self._path:
                    return
                case "path":
                    self._path_inputs[parameter.name] = self._input(parameter)
                case "query":
                    self._add_query(parameter)
                case "header":
                    self._add_header(parameter)
                case _:
                    _refuse_place(parameter)
        except UnsupportedError as error:
            if parameter.is_required:
                raise
            self._notes.append(f"left out: {error.reason}")

    def _add_query(self, parameter: _Parameter) -> None:
        if "{" in parameter.name or not parameter.name:
            raise UnsupportedError(parameter.at.pointer, f"its parameter {parameter.name!r} has braces in its name")
        if (style := self._query_style(parameter)) is not None:
            self._styles[parameter.name] = style
        self._query[parameter.name] = f"{{{self._input(parameter)}}}"

    def _query_style(self, parameter: _Parameter) -> QueryStyle | None:
        """How a list or an object stands in the query; None for single values, and for parameters that are JSON."""
        at = parameter.at
        types = types_of(self._document, _schema_of(at))
        if at.inner("content").value is not None or not types & {"array", "object"}:
            return None
        style = at.inner("style").text() or "form"
        explode = at.inner("explode").value
        is_exploded = style == "form" if explode is None else explode is True
        if (style, is_exploded) not in _STYLES or ("object" in types and (style, is_exploded) == ("form", False)):
            raise UnsupportedError(at.pointer, f"the style {style!r} of its parameter {parameter.name!r} is not known")
        return _STYLES[style, is_exploded]

    def _add_header(self, parameter: _Parameter) -> None:
        if parameter.name.lower() in OWN_HEADERS:
            return
        if not HEADER.fullmatch(parameter.name):
            raise UnsupportedError(
                parameter.at.pointer, f"its parameter {parameter.name[:100]!r} is not a valid header"
            )
        self._headers[parameter.name] = f"{{{self._input(parameter)}}}"

    def _input(self, parameter: _Parameter) -> str:
        """Declare an input for a parameter; its name. Lists in paths and headers are texts with commas."""
        schema = self._converter.convert(_schema_of(parameter.at))
        types = types_of(self._document, _schema_of(parameter.at))
        description = bounded_text(parameter.at.inner("description").value, _LONGEST_DESCRIPTION)
        if parameter.place != "query" and types & {"array", "object"}:
            if "object" in types:
                raise UnsupportedError(
                    parameter.at.pointer, f"its parameter {parameter.name!r} is an object in a {parameter.place}"
                )
            schema, description = {"type": "string"}, f"{description} Values are separated by commas.".strip()
        if isinstance(schema, dict) and description:
            schema = {**cast(JsonObject, schema), "description": description}
        return self._declare(parameter.name, parameter.place, schema, is_required=parameter.is_required)

    def _declare(self, name: str, place: str, schema: Json, *, is_required: bool) -> str:
        chosen = input_name(name, place, self._properties)
        self._properties[chosen] = schema
        if is_required:
            self._required.append(chosen)
        return chosen

    def _filled_path(self) -> str:
        """The path with the names of inputs in it."""
        if not _PATH.fullmatch(self._path):
            raise UnsupportedError(self._path_item.pointer, "its path has a query, a fragment, blanks or open braces")

        def replace(match: re.Match[str]) -> str:
            if match[1] not in self._path_inputs:
                raise UnsupportedError(
                    self._operation.pointer, f"its path has {match[0]}, for which there is no parameter"
                )
            return f"{{{self._path_inputs[match[1]]}}}"

        return _VARIABLE.sub(replace, self._path)

    def _body(self) -> JsonObject:
        """The body of the operation, and its format; empty if there is none. Raises UnsupportedError."""
        at = self._document.resolve(self._operation.inner("requestBody"))
        if at.value is None:
            return {}
        kind, media = _media_type(at)
        is_required = at.inner("required").value is True
        if kind == "text/plain":
            self._headers["Content-Type"] = kind
            return {"body": f"{{{self._declare('body', 'body', {'type': 'string'}, is_required=is_required)}}}"}
        is_form = kind == "application/x-www-form-urlencoded"
        if not is_form and kind not in ("application/json", "*/*"):
            self._headers["Content-Type"] = kind
        fields = self._fields(media.inner("schema"), is_required=is_required)
        if fields is not None:
            return {"body": fields, "bodyFormat": "form" if is_form else "json"}
        schema: Json = {} if media.inner("schema").value is None else self._converter.convert(media.inner("schema"))
        if is_form and (types := types_of(self._document, media.inner("schema"))) and types != {"object"}:
            raise UnsupportedError(media.pointer, "its form is not an object")
        name = self._declare("body", "body", _described(schema, at), is_required=is_required)
        return {"body": f"{{{name}}}", "bodyFormat": "form" if is_form else "json"}

    def _fields(self, at: DocumentPart, *, is_required: bool) -> JsonObject | None:
        """The fields of a body as inputs of their own, if nothing is lost by it; else None, and nothing is declared.

        That is so if the body always has to be sent, and is an object with known fields, none of which can be null.
        """
        schema = self._document.resolve(at)
        properties = list(schema.inner("properties").fields())
        if not is_required or not properties or not _is_plain_object(schema):
            return None
        if any("{" in name or not self._has_no_null(inner) for name, inner in properties):
            return None
        wanted = {str(each.value) for each in schema.inner("required").items()}
        if not wanted <= {name for name, _ in properties}:
            return None
        body: JsonObject = {}
        for name, inner in properties:
            if self._document.resolve(inner).inner("readOnly").value is not True:
                converted = self._converter.convert(inner)
                body[name] = f"{{{self._declare(name, 'body', converted, is_required=name in wanted)}}}"
        return body or None

    def _has_no_null(self, at: DocumentPart) -> bool:
        """Whether a field has a type, and null is not among its values."""
        types = types_of(self._document, at)
        return bool(types) and "null" not in types and at.inner("nullable").value is not True


def _refuse_place(parameter: _Parameter) -> NoReturn:
    raise UnsupportedError(parameter.at.pointer, f"its parameter {parameter.name!r} is in a {parameter.place}")


def _key(parameter: _Parameter) -> str:
    return parameter.name.lower() if parameter.place == "header" else parameter.name


def _schema_of(parameter: DocumentPart) -> DocumentPart:
    """The schema of a parameter, also of one whose content is JSON; any value if it has none."""
    for _, media in parameter.inner("content").fields():
        return media.inner("schema") if media.inner("schema").value is not None else DocumentPart({}, media.pointer)
    schema = parameter.inner("schema")
    return DocumentPart({"type": "string"}, parameter.pointer) if schema.value is None else schema


def _media_type(body: DocumentPart) -> tuple[str, DocumentPart]:
    """The media type in which a body is sent, and its description. Raises UnsupportedError if there is none."""
    offered = {kind.partition(";")[0].strip().lower(): media for kind, media in body.inner("content").fields()}
    json_types = [kind for kind in offered if is_json(kind)]
    for kind in ("application/json", *json_types, "*/*", "application/x-www-form-urlencoded", "text/plain"):
        if kind in offered:
            return kind, offered[kind]
    listed = bounded_text(", ".join(offered), 200) or "no media type"
    raise UnsupportedError(body.pointer, f"its body is {listed}; JSON, forms and plain text can be sent")


def is_json(kind: str) -> bool:
    """Whether a media type, without its parameters, is JSON."""
    return _JSON.fullmatch(kind) is not None


def _is_plain_object(schema: DocumentPart) -> bool:
    """Whether a schema is an object with named fields alone."""
    known = {"type", "properties", "required", "additionalProperties", "description", "title", "example", "examples"}
    fields = schema.object()
    is_open = fields.get("additionalProperties", False) is not False
    plain = known | {"xml", "externalDocs", "deprecated", "default"}
    return (
        fields.get("type", "object") == "object"
        and not is_open
        and all(name in plain or name.startswith("x-") for name in fields)
    )


def _described(schema: Json, body: DocumentPart) -> Json:
    description = bounded_text(body.inner("description").value, _LONGEST_DESCRIPTION)
    if isinstance(schema, dict) and description and "description" not in schema:
        return {**cast(JsonObject, schema), "description": description}
    return cast(Json, schema)
