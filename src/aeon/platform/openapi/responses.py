"""Describes the response of an operation: a tool's output schema, and how it has pages."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.openapi.document import DocumentPart, OpenApiDocument, UnsupportedError
from aeon.platform.openapi.requests import is_json
from aeon.platform.openapi.schemas import SchemaConverter, check_schema, types_of

_ANY: Final[JsonObject] = {}


class ResponseParts(NamedTuple):
    """What a tool returns: its output schema, the media type that it asks for, and why a response is not described."""

    output_schema: JsonObject
    accept: str | None
    notes: tuple[str, ...]


def response_of(document: OpenApiDocument, operation: DocumentPart) -> ResponseParts:
    """The output of an operation. What of it cannot be described is any value, with a note."""
    try:
        medias = [_json_media(each) for each in successes(document, operation)]
        accept = next((kind for each in medias if each is not None for kind in [each[0]]), None)
        converter = SchemaConverter(document, "response")
        schemas = [_ANY if each is None else _body_schema(converter, each[1]) for each in medias]
        schema = output_schema(_any_of(schemas), converter)
        check_schema(schema, operation.pointer, "output schema")
    except UnsupportedError as error:
        return ResponseParts(output_schema(_ANY), None, (f"its output is not described: {error.reason}",))
    return ResponseParts(schema, accept, ())


def output_of_pages(document: OpenApiDocument, items: DocumentPart, pointer: str) -> JsonObject:
    """The output of an operation whose pages are collected; `items` is the schema of the list of a page."""
    converter = SchemaConverter(document, "response")
    try:
        schema = output_schema(converter.convert(items), converter, has_pages=True)
        check_schema(schema, pointer, "output schema")
    except UnsupportedError:
        return output_schema({"type": "array"}, has_pages=True)
    return schema


def output_schema(body: Json, converter: SchemaConverter | None = None, *, has_pages: bool = False) -> JsonObject:
    """The schema of what a REST operation returns, around that of the response's body."""
    properties: JsonObject = {"status": {"type": "integer"}, "contentType": {"type": "string"}, "body": body}
    if has_pages:
        properties |= {"pages": {"type": "integer"}, "isComplete": {"type": "boolean"}}
    definitions = {} if converter is None else converter.definitions()
    return {"type": "object", "properties": properties, "required": list(properties), **definitions}


def successes(document: OpenApiDocument, operation: DocumentPart) -> Iterator[DocumentPart]:
    """The responses of an operation for success. Raises UnsupportedError for a reference that leads nowhere."""
    for status, response in operation.inner("responses").fields():
        if status.startswith("2"):
            yield document.resolve(response)


def page_schema(document: OpenApiDocument, operation: DocumentPart) -> DocumentPart | None:
    """The schema of the body of the first success that has JSON; None if there is none."""
    medias = (_json_media(each) for each in successes(document, operation))
    return next((document.resolve(each[1].inner("schema")) for each in medias if each is not None), None)


def has_list(document: OpenApiDocument, at: DocumentPart) -> bool:
    """Whether a schema is that of a list."""
    return "array" in types_of(document, at)


def _json_media(response: DocumentPart) -> tuple[str, DocumentPart] | None:
    offered = {kind.partition(";")[0].strip().lower(): media for kind, media in response.inner("content").fields()}
    return next(((kind, media) for kind, media in offered.items() if is_json(kind)), None)


def _body_schema(converter: SchemaConverter, media: DocumentPart) -> Json:
    return _ANY if media.inner("schema").value is None else converter.convert(media.inner("schema"))


def _any_of(schemas: list[Json]) -> Json:
    distinct = [schema for position, schema in enumerate(schemas) if schema not in schemas[:position]]
    if not distinct or _ANY in distinct:
        return _ANY
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
