"""How the REST API answers: things with their ETags, pages, and what changes need."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar
from urllib.request import parse_http_list

from fastapi import Depends, Header, Query
from fastapi.responses import JSONResponse
from pydantic import Field

from aeon.application.pages import Page
from aeon.application.workspace import RequestKey
from aeon.base.json import Json, JsonObject
from aeon.server.edge.json_response import JsonResponse
from aeon.server.edge.problems import HttpError

PREFIX: Final = "/api/v1"

MAX_PAGE: Final = 200
"""The most things on a page (platform 29)."""

Limit: TypeAlias = Annotated[int, Query(ge=1, le=MAX_PAGE, description="The most things on the page.")]
Cursor: TypeAlias = Annotated[str | None, Query(max_length=1000, description="`next` of the page before.")]

_LONGEST_WAIT: Final = 60.0

_Item = TypeVar("_Item")

PROBLEM: Final[Mapping[int | str, dict[str, Any]]] = {
    "default": {
        "description": "A problem (RFC 9457).",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
"""How every operation describes what can go wrong."""


class Change:
    """How a change is asked for: once for each key, and only of the version that was read (platform 20 and 29)."""

    def __init__(self, key: RequestKey | None, expected: int | None) -> None:
        self.key = key
        self.expected = expected

    @property
    def is_replayed(self) -> bool:
        """Whether an earlier request with the same key has done it already; known once it was done."""
        return self.key is not None and self.key.is_replayed

    @property
    def headers(self) -> dict[str, str]:
        """The headers of its answer."""
        return {"idempotency-replayed": "true"} if self.is_replayed else {}


async def change_of(
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1, max_length=255, description="The same request with the same key within 24 hours is done once."
        ),
    ] = None,
    if_match: Annotated[
        str | None, Header(pattern=r'^(\*|"?[0-9]{1,15}"?)$', description="The ETag that was read; else 412.")
    ] = None,
) -> Change:
    """Read how a change is asked for. It is async, because FastAPI calls other functions in a thread."""
    return Change(None if idempotency_key is None else RequestKey(idempotency_key), _version_of(if_match))


Asked: TypeAlias = Annotated[Change, Depends(change_of)]


async def refuse_key(
    idempotency_key: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> None:
    """Refuse a key where a repeated request does its work again. Raises HttpError."""
    if idempotency_key is not None:
        raise HttpError(
            422,
            "This operation takes no Idempotency-Key: each request does its work.",
            next_step="Leave the header out. What must be done once is a step of a Process, whose start takes a key.",
        )


EachTime: Final = Depends(refuse_key)
"""For operations whose answer cannot be given again, such as the secret of a token or the result of a call."""


async def wait_of(
    prefer: Annotated[
        Sequence[Annotated[str, Field(max_length=1000)]],
        Header(description="`wait=30` waits for the end, 30 seconds at most; other preferences are ignored."),
    ] = (),
) -> float:
    """The seconds of `Prefer: wait=30` (RFC 7240); 0 without one. Raises HttpError for a wait that is no number."""
    for preference in parse_http_list(", ".join(prefer)):
        name, _, value = preference.partition(";")[0].partition("=")
        if name.strip().lower() == "wait":
            return _seconds(value.strip().strip('"'))
    return 0.0


Wait: TypeAlias = Annotated[float, Depends(wait_of)]
"""The seconds that the header `Prefer` asks to wait for the end."""


def thing(
    data: JsonObject,
    version: int | None = None,
    *,
    status: int = 200,
    location: str | None = None,
    change: Change | None = None,
) -> JSONResponse:
    """The answer with one thing, its ETag if it has versions, and where it is if it is new."""
    headers = {} if change is None else change.headers
    if version is not None:
        headers["etag"] = f'"{version}"'
    if location is not None:
        headers["location"] = f"{PREFIX}{location}"
    return JsonResponse(data, status, headers)


def page(found: Page[_Item], as_json: Callable[[_Item], Json]) -> JSONResponse:
    """The answer with a page: its things, and the cursor of the next page or None."""
    return JsonResponse({"data": [as_json(each) for each in found.items], "next": found.next_cursor})


def listed(found: list[JsonObject]) -> JSONResponse:
    """The answer with a whole list."""
    return JsonResponse({"data": list[Json](found), "next": None})


def _seconds(value: str) -> float:
    if not value.isdecimal():
        raise HttpError(
            422, f"Prefer has the wait {value!r}, which is no number.", next_step="Give whole seconds: wait=30"
        )
    return min(float(value), _LONGEST_WAIT)


def _version_of(if_match: str | None) -> int | None:
    """The version that a change is for; None for any."""
    return None if if_match is None or if_match == "*" else int(if_match.strip('"'))
