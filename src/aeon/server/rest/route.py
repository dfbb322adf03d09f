"""`RestRoute`: a route of the REST API, which refuses what it would ignore, and answers HEAD."""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from inspect import signature
from itertools import islice
from typing import Any, Final

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from aeon.base.json import Json, JsonObject
from aeon.base.suggestions import closest_name
from aeon.platform.errors import RuleError
from aeon.server.auth.caller import Caller, signed_in
from aeon.server.edge.problems import HttpError
from aeon.server.edge.routes import QuickRoute

_JSON: Final = "application/json"

_MAX_UNKNOWN: Final = 10
"""The most unknown query parameters that are told at once, since finding what was meant takes time."""


class RestRoute(QuickRoute):
    """A route that refuses unknown query parameters and bodies that are not JSON; those that GET has answer HEAD."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the route is the one of a request, and what its path has."""
        return super().matches({**scope, "method": "GET"} if self._is_head(scope) else scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._is_head(scope):
            await self.app(scope, receive, send)
        else:
            await super().handle(scope, receive, send)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request once its path and method fit."""
        answer = super().get_route_handler()
        known = sorted({*_query_parameters(self.dependant)})
        body = self.body_field
        fields = None if body is None else _required_fields(body.field_info.annotation)
        needs_caller = _needs_caller(self.dependant)

        async def checked(request: Request) -> Response:
            try:
                _require_known(request.query_params, known)
                if fields is not None:
                    _require_json(request, fields)
            except (RuleError, HttpError):
                if needs_caller:
                    await signed_in(request)  # somebody who is not signed in is told that first
                raise
            answered = await answer(request)
            return _without_body(answered) if request.method == "HEAD" else answered

        return checked

    def _is_head(self, scope: Scope) -> bool:
        return scope["method"] == "HEAD" and "GET" in (self.methods or ())


def invalid_request(problems: Sequence[JsonObject]) -> RuleError:
    """The error for a request with these faults, each with its pointer, rule and message."""
    message = "; ".join(f"{each['pointer'] or 'the request'}: {each['message']}" for each in problems)
    return RuleError(message, rule="request", field=str(problems[0]["pointer"]), problems=list[Json](problems))


def _query_parameters(dependant: Dependant) -> Iterator[str]:
    """Yield the names of the query parameters of an operation and of what it depends on."""
    yield from (each.alias for each in dependant.query_params)
    for each in dependant.dependencies:
        yield from _query_parameters(each)


def _needs_caller(dependant: Dependant) -> bool:
    """Whether an operation is for somebody who is signed in."""
    return any(
        each.call is not None and (signature(each.call).return_annotation is Caller or _needs_caller(each))
        for each in dependant.dependencies
    )


def _require_known(given: Iterable[str], known: Sequence[str]) -> None:
    unknown = islice((each for each in given if each not in known), _MAX_UNKNOWN)
    problems: list[JsonObject] = [
        {"pointer": f"query {each}", "rule": "unknown", "message": _unknown(each, known)} for each in unknown
    ]
    if problems:
        raise invalid_request(problems)


def _unknown(name: str, known: Sequence[str]) -> str:
    if not known:
        return "is unknown; there are no query parameters here"
    near = closest_name(name, known)
    return "is unknown; " + (f"did you mean {near}? " if near else "") + f"known are {', '.join(known)}"


def _required_fields(body: object) -> list[str]:
    """The fields that a body needs; none if it is not a model or may be left out."""
    if not (isinstance(body, type) and issubclass(body, BaseModel)):
        return []
    return [each.alias or name for name, each in body.model_fields.items() if each.is_required()]


def _require_json(request: Request, fields: Sequence[str]) -> None:
    """Raises HttpError for a body that is not called JSON."""
    is_empty = request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if is_empty or kind == _JSON or (kind.startswith("application/") and kind.endswith("+json")):
        return
    what = f" that has {', '.join(fields)}," if fields else ""
    raise HttpError(
        415,
        f"This takes {_JSON}, not {kind}." if kind else f"This takes {_JSON}; the request has no Content-Type.",
        next_step=f"Send a JSON object{what} with the header Content-Type: {_JSON}; see /api/v1/openapi.json.",
        headers={"accept-post": _JSON},
    )


def _without_body(answered: Response) -> Response:
    """The same head; what would send the body does not begin."""
    head = Response(status_code=answered.status_code)
    head.raw_headers = answered.raw_headers
    return head
