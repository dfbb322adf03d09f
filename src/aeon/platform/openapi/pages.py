"""Recognizes how an operation gives its list in pages, from the names that APIs commonly use."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.openapi.document import DocumentPart, OpenApiDocument, UnsupportedError, pointer_part
from aeon.platform.openapi.responses import has_list, output_of_pages, page_schema, successes
from aeon.platform.openapi.schemas import types_of

_LISTS: Final = ("items", "data", "results", "records", "entries", "values", "value", "content", "list", "objects")
_NEXT_ADDRESSES: Final = ("next", "next_url", "nextUrl", "nextLink", "next_link", "next_page_url", "@odata.nextLink")
_NEXT_CURSORS: Final = (
    *("next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken"),
    *("end_cursor", "endCursor", "continuation_token", "continuationToken", "cursor"),
)
_CURSORS: Final = (
    *("cursor", "page_token", "pageToken", "next_token", "nextToken", "continuation_token", "continuationToken"),
    *("next_cursor", "nextCursor", "after", "marker"),
)
_OFFSETS: Final = ("offset", "skip", "start", "startAt", "start_index", "startIndex", "$skip")
_PAGES: Final = ("page", "page_number", "pageNumber", "page_no", "pageNo", "pagenumber", "p")
_AROUND: Final = ("meta", "links", "_links", "pagination", "paging", "page_info", "pageInfo", "response_metadata")
"""Objects in a body that have the next page's address or cursor."""


class PageForm(NamedTuple):
    """How an operation has pages: the operation's `pagination` without `maxPages`, and the output of all pages."""

    pagination: JsonObject
    output_schema: JsonObject


def page_form_of(document: OpenApiDocument, operation: DocumentPart, query: frozenset[str]) -> PageForm | None:
    """How a GET operation with these query parameters has pages; None if that is not recognized."""
    try:
        body = page_schema(document, operation)
        found = None if body is None else _list_in(document, body)
        if body is None or found is None:
            return None
        pagination = _pagination(document, operation, body, query)
    except UnsupportedError:
        return None
    if pagination is None:
        return None
    pointer, items = found
    where: JsonObject = {"items": pointer} if pointer else {}
    return PageForm({**pagination, **where}, output_of_pages(document, items, operation.pointer))


def _list_in(document: OpenApiDocument, body: DocumentPart) -> tuple[str, DocumentPart] | None:
    """Where the body has its list, a JSON pointer, and the schema of the list; None if that is not clear."""
    if has_list(document, body):
        return "", body
    lists = {name: inner for name, inner in _fields(document, body) if has_list(document, inner)}
    named = [name for name in _LISTS if name in lists]
    if not named and len(lists) != 1:
        return None
    name = named[0] if named else next(iter(lists))
    return f"/{pointer_part(name)}", lists[name]


def _pagination(
    document: OpenApiDocument, operation: DocumentPart, body: DocumentPart, query: frozenset[str]
) -> JsonObject | None:
    for response in successes(document, operation):
        if any(name.lower() == "link" for name, _ in response.inner("headers").fields()):
            return {"style": "link"}
    places = dict(_text_fields(document, body))
    if (cursor := _first(query, _CURSORS)) is not None and (place := _place(places, _NEXT_CURSORS)) is not None:
        return {"style": "cursor", "parameter": cursor, "next": place}
    if (place := _place(places, _NEXT_ADDRESSES)) is not None:
        return {"style": "next", "next": place}
    if (offset := _first(query, _OFFSETS)) is not None:
        return {"style": "offset", "parameter": offset}
    if (number := _first(query, _PAGES)) is not None:
        return {"style": "page", "parameter": number, **_first_number(document, operation, number)}
    return None


def _text_fields(document: OpenApiDocument, body: DocumentPart) -> Iterator[tuple[str, str]]:
    """The fields of a body, and of the objects around its list, that may be texts: pointer and name."""
    for name, inner in _fields(document, body):
        types = types_of(document, inner)
        if "string" in types:
            yield f"/{pointer_part(name)}", name
        elif name in _AROUND and "object" in types:
            for below, field in _fields(document, document.resolve(_object_in(document, inner))):
                if "string" in types_of(document, field):
                    yield f"/{pointer_part(name)}/{pointer_part(below)}", below


def _object_in(document: OpenApiDocument, at: DocumentPart) -> DocumentPart:
    """The object of a field that may also be null."""
    schema = document.resolve(at)
    inner = [each for word in ("anyOf", "oneOf", "allOf") for each in schema.inner(word).items()]
    return next((each for each in inner if "object" in types_of(document, each)), schema)


def _fields(document: OpenApiDocument, schema: DocumentPart) -> Iterator[tuple[str, DocumentPart]]:
    """The fields of an object, also of those that it is composed of."""
    yield from schema.inner("properties").fields()
    for part in schema.inner("allOf").items():
        yield from document.resolve(part).inner("properties").fields()


def _first(names: frozenset[str], wanted: tuple[str, ...]) -> str | None:
    return next((name for name in wanted if name in names), None)


def _place(places: dict[str, str], wanted: tuple[str, ...]) -> str | None:
    return next((pointer for name in wanted for pointer, found in places.items() if found == name), None)


def _first_number(document: OpenApiDocument, operation: DocumentPart, parameter: str) -> JsonObject:
    """`{"first": 0}` if the schema of the parameter says that pages are counted from 0."""
    for at in operation.inner("parameters").items():
        schema = document.resolve(document.resolve(at).inner("schema"))
        is_named = document.resolve(at).inner("name").value == parameter
        if is_named and 0 in (schema.inner("default").value, schema.inner("minimum").value):
            return {"first": 0}
    return {}
