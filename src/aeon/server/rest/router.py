"""All operations of the REST API, and how its errors look."""

from collections.abc import Sequence
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import Match

from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.server.edge.problems import HttpError, broken_json, problem_response
from aeon.server.edge.routes import add_routes
from aeon.server.edge.state import correlation_of
from aeon.server.rest import (
    catalog,
    conversations,
    knowledge,
    operators,
    processes,
    project,
    record,
    requests,
    runs,
    sessions,
    tools,
    transfer,
    users,
    webhooks,
)
from aeon.server.rest.answers import PREFIX
from aeon.server.rest.openapi import describe
from aeon.server.rest.route import RestRoute, invalid_request

_NO_METHOD = 405

__all__ = ["PREFIX", "handle_errors", "mount_rest"]


def mount_rest(app: FastAPI) -> None:
    """Add the REST API to an application."""
    for each in (
        sessions,
        users,
        conversations,
        knowledge,
        transfer,
        runs,
        processes,
        tools,
        webhooks,
        record,
        project,
        requests,
    ):  # before the things that any kind has
        add_routes(app, each.router)
    add_routes(app, knowledge.conversation_entities)
    add_routes(app, catalog.router)
    add_routes(app, operators.router)
    describe(app)


def handle_errors(app: FastAPI) -> None:
    """Answer every error of an application with a problem."""
    app.add_exception_handler(AeonError, _aeon_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)


async def _aeon_error(request: Request, error: Exception) -> Response:
    return problem_response(cast(AeonError, error), correlation_of(request))


async def _invalid(request: Request, error: Exception) -> Response:
    """All that is wrong with a request at once, each with a pointer to its place."""
    problems = [_problem(each) for each in cast(RequestValidationError, error).errors()]
    return problem_response(invalid_request(problems), correlation_of(request))


async def _http_error(request: Request, error: Exception) -> Response:
    cause = error.__cause__
    if isinstance(cause, AeonError):
        return problem_response(cause, correlation_of(request))
    failed = cast(HTTPException, error)
    what = {404: "There is nothing at this path.", 405: "This path has no such method."}
    headers = {"allow": ", ".join(_methods_at(request))} if failed.status_code == _NO_METHOD else failed.headers
    refused = HttpError(
        failed.status_code,
        what.get(failed.status_code, str(failed.detail)),
        headers=headers or {},
        next_step="See /api/v1/openapi.json.",
    )
    return problem_response(refused, correlation_of(request))


def _methods_at(request: Request) -> list[str]:
    """The methods of all operations of the path that a request has."""
    routes = [each for each in cast(FastAPI, request.app).routes if isinstance(each, APIRoute)]
    path = next((each.path for each in routes if each.matches(request.scope)[0] is not Match.NONE), None)
    methods = {method for each in routes if each.path == path for method in each.methods or ()}
    is_head_answered = any(isinstance(each, RestRoute) and each.path == path for each in routes) and "GET" in methods
    return sorted(methods | ({"HEAD"} if is_head_answered else set()))


def _problem(found: dict[str, Any]) -> JsonObject:
    """One fault of a request: where it is, as a pointer into the body or the name of a parameter, and what it is."""
    place: Sequence[object] = found["loc"]
    where = str(place[0])
    inner = [str(each) for each in place[1:] if not isinstance(each, int) or where == "body"]
    if found["type"] == "json_invalid":
        return {"pointer": "", "rule": "json_invalid", "message": broken_json(place[1], found["ctx"]["error"])}
    pointer = "".join(f"/{each}" for each in inner) if where == "body" else " ".join([where, *inner])
    return {"pointer": pointer, "rule": found["type"], "message": found["msg"]}
