"""Finds the items of a page and the request for the next page. Pure."""

import re
from collections.abc import Iterator
from typing import cast

from aeon.adapters.operations.http_client import HttpRequest, HttpResponse
from aeon.adapters.operations.redirects import same_host_url
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import OperationError, Pagination

_LINK = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w*!-]+\s*(?:=\s*(?:\"[^\"]*\"|[^\s;,\"]*))?)*)")
_REL = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]*))", re.IGNORECASE)


def items_of(body: Json, pagination: Pagination) -> list[Json]:
    """Return the items of a page. Raises OperationError if its body has no list there."""
    items = value_at(body, pagination.items)
    if not isinstance(items, list):
        raise OperationError(
            f"a page has no list of items at {pagination.items or 'its root'}",
            next_step="Correct the pagination of the tool's operation.",
        )
    return cast("list[Json]", items)


def next_request(request: HttpRequest, answer: HttpResponse, body: Json, pagination: Pagination) -> HttpRequest | None:
    """Return the request for the page after this one, None after the last. Raises OperationError for another host."""
    if pagination.style == "link":
        address = _next_link(answer.headers.get_list("link"))
        return None if address is None else _at(request, address)
    if pagination.style in ("page", "offset"):
        return _counted(request, len(items_of(body, pagination)), pagination)
    following = value_at(body, pagination.next)
    if following is None or following in ("", False):
        return None
    if not isinstance(following, str | int):
        raise OperationError(f"a page has no text at {pagination.next}, where the next page should be named")
    if pagination.style == "next":
        return _at(request, str(following))
    return _with_parameter(request, pagination.parameter, str(following))


def value_at(value: Json, pointer: str) -> Json:
    """Return the value at a JSON pointer (RFC 6901); None if there is none."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = cast(JsonObject, value).get(key)
        elif isinstance(value, list) and key.isascii() and key.isdigit():
            items = cast("list[Json]", value)
            value = items[int(key)] if int(key) < len(items) else None
        else:
            return None
    return value


def _counted(request: HttpRequest, found: int, pagination: Pagination) -> HttpRequest | None:
    """Return the request with the number of the next page, or the offset of the next item."""
    if not found:
        return None
    sent = request.url.params.get(pagination.parameter)
    first = pagination.first if pagination.style == "page" else 0
    if sent is not None and not re.fullmatch(r"\d{1,15}", sent):
        raise OperationError(
            f"the parameter {pagination.parameter!r} is not a whole number, so pages cannot be counted"
        )
    current = first if sent is None else int(sent)
    step = 1 if pagination.style == "page" else found
    return _with_parameter(request, pagination.parameter, str(current + step))


def _with_parameter(request: HttpRequest, name: str, value: str) -> HttpRequest:
    return request._replace(url=request.url.copy_set_param(name, value))


def _at(request: HttpRequest, address: str) -> HttpRequest:
    return request._replace(url=same_host_url(request, address, "its next page is"))


def _next_link(headers: list[str]) -> str | None:
    """Return the address of the first link with the relation `next` (RFC 8288)."""
    return next((address for address, relations in _links(headers) if "next" in relations), None)


def _links(headers: list[str]) -> Iterator[tuple[str, list[str]]]:
    for header in headers:
        for address, parameters in _LINK.findall(header):
            relation = _REL.search(parameters)
            yield address, [] if relation is None else (relation[1] or relation[2]).lower().split()
