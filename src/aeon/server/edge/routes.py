"""What a request asks for, without the ids in its path: for limits, metrics and logs."""

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI
from starlette.routing import Match
from starlette.types import Scope

from aeon.server.edge.bodies import JsonRoute
from aeon.server.edge.guard import Message
from aeon.server.edge.rates import CHANGES, EVENTS, READS, SIGN_INS, STARTS, Quota

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})

_DOORS: Final = ("/api/v1", "/v1", "/mcp", "/health", "/hooks")

STARTING: Final = frozenset(
    {
        "/api/v1/requests",
        "/api/v1/requests/{request_id}/resume",
        "/api/v1/processes/{process}/runs",
        "/api/v1/messages/{message}/answers",
        "/api/v1/messages/{message}/regenerate",
        "/api/v1/runs/{run}/retry",
        "/api/v1/runs/{run}/resume",
        "/api/v1/jobs/dead/{job}/retry",
        "/api/v1/skills/{skill}/scripts/{script}/run",
        "/v1/chat/completions",
        "/conversations",
        "/conversations/{conversation}/messages",
        "/messages/{message}/edit",
        "/messages/{message}/answer",
        "/messages/{message}/regenerate",
        "/runs/{run}/retry",
        "/processes/{process}/runs",
        "/skills/{skill}/scripts/{script}/run",
    }
)
"""What begins a run, when it is sent by POST: of the REST API, of the chat door, and the forms of the page."""

_SIGNING_IN: Final = frozenset({"/api/v1/session", "/sign-in"})


_SLASH: Final = re.compile(rb"%2f", re.IGNORECASE)
_STAND_IN: Final = "\0"
"""Stands for an encoded slash while a path is compared; the guard refuses paths that have one."""


class QuickRoute(JsonRoute):
    """A route that compares how a path begins before it looks at the whole, since most routes are not the one."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        self._beginning = path.partition("{")[0]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the route is the one of a request, and what its path has.

        An encoded slash (`%2F`) divides nothing (RFC 3986 2.2): it belongs to a name, such as `dice-roller/roll`.
        """
        if not scope["path"].startswith(self._beginning):
            return Match.NONE, {}
        raw: bytes = scope.get("raw_path") or b""
        if not _SLASH.search(raw):
            return super().matches(scope)
        match, found = super().matches({**scope, "path": unquote(_SLASH.sub(_STAND_IN.encode(), raw))})
        values = {name: _with_slashes(value) for name, value in found.get("path_params", {}).items()}
        return match, {**found, "path_params": values} if found else found


def _with_slashes(value: object) -> object:
    return value.replace(_STAND_IN, "/") if isinstance(value, str) else value


def add_routes(app: FastAPI, router: APIRouter) -> None:
    """Add the routes of a router to those of an application.

    `FastAPI.include_router` keeps the router as one route, which looks at each of its own routes twice for a request:
    with all routers of the server that costs more than the rest of a small request.
    """
    app.router.routes.extend(router.routes)


def template_of(scope: Message) -> str:
    """The path of the route of a request, such as `/api/v1/runs/{run}`; of an unknown one, only its door or `other`."""
    route: str = getattr(scope.get("route"), "path", "")
    path: str = scope["path"]
    door = next((each for each in _DOORS if path == each or path.startswith(f"{each}/")), "")
    if not route:
        return door or "other"
    return route if route.startswith(door) else door + route


def quota_of(scope: Message) -> Quota:
    """The class of a request."""
    method, template = scope["method"], template_of(scope)
    if method in READING:
        return READS
    if method != "POST":
        return CHANGES
    if template.startswith("/hooks"):
        return EVENTS
    if template in _SIGNING_IN:
        return SIGN_INS
    return STARTS if template in STARTING else CHANGES
