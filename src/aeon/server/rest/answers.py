"""How the REST API answers: things with their ETags, pages, and what changes need."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Protocol, TypeAlias

from fastapi import Header, Query
from fastapi.responses import JSONResponse

from aeon.application.pages import Page
from aeon.base.json import Json, JsonObject
from aeon.server.edge.problems import RequestError

MAX_PAGE: Final = 200
"""The most things on a page (platform 29)."""

Limit: TypeAlias = Annotated[int, Query(ge=1, le=MAX_PAGE, description="The most things on the page.")]
Cursor: TypeAlias = Annotated[str | None, Query(max_length=1000, description="`next` of the page before.")]
Key: TypeAlias = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        description="The same request with the same key within 24 hours is done once (platform 20).",
    ),
]
IfMatch: TypeAlias = Annotated[
    str | None, Header(alias="If-Match", max_length=100, description="The ETag that was read; else 412 (platform 29).")
]

PROBLEM: Final[Mapping[int | str, dict[str, Any]]] = {
    "default": {
        "description": "A problem (RFC 9457).",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
"""How every operation describes what can go wrong."""


class Versioned(Protocol):
    """A thing with a version."""

    @property
    def version(self) -> int: ...


def thing(
    data: JsonObject, version: int | None = None, *, status: int = 200, location: str | None = None
) -> JSONResponse:
    """The answer with one thing, its ETag if it has versions, and where it is if it is new."""
    headers = {} if version is None else {"etag": f'"{version}"'}
    return JSONResponse(data, status, headers if location is None else {**headers, "location": location})


def page(found: Page[Any], as_json: Callable[[Any], Json]) -> JSONResponse:
    """The answer with a page: its things, and the cursor of the next page or None."""
    return JSONResponse({"data": [as_json(each) for each in found.items], "next": found.next_cursor})


def expected_version(if_match: str | None) -> int | None:
    """The version that a change is for. Raises RequestError for what is no ETag of such a thing."""
    if if_match is None or if_match.strip() == "*":
        return None
    text = if_match.strip().removeprefix('"').removesuffix('"')
    if not (text.isascii() and text.isdecimal() and len(text) < 15):  # noqa: PLR2004  # a version is small
        raise RequestError(412, f"{if_match!r} is not an ETag of this thing.", next_step="Read it again.")
    return int(text)
