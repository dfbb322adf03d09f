"""Counts and logs every request, the refused ones too; never a query, a body or a secret."""

import time
from collections.abc import Callable

from aeon.base.loggers import room_logger
from aeon.server.edge.guard import AsgiApp, Message, Receive, Send
from aeon.server.edge.routes import quota_of, template_of
from aeon.server.edge.state import ServerState

_LOG = room_logger("server")


class Recorder:
    """Wraps an ASGI application. A record has the route instead of the path, whose ids say who reads what."""

    def __init__(self, app: AsgiApp, state: ServerState, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._state = state
        self._monotonic = monotonic

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._monotonic()
        status, began_answering = 0, began

        async def recorded(message: Message) -> None:
            nonlocal status, began_answering
            if message["type"] == "http.response.start":
                status, began_answering = message["status"], self._monotonic()
            await send(message)

        try:
            await self._app(scope, receive, recorded)
        finally:
            if status:  # else the client went away before there was an answer
                self._state.counters.add(quota_of(scope).name, status, began_answering - began)
            _log(scope, status, self._monotonic() - began)


def _log(scope: Message, status: int, seconds: float) -> None:
    state = scope.get("state", {})
    route = template_of(scope)
    caller, credential = state.get("user", "-"), state.get("credential", "-")
    about = {
        "method": scope["method"],
        "route": route,
        "status": status,
        "duration": seconds,
        "correlation_id": state.get("correlation_id", ""),
        "user": caller,
        "credential": credential,
    }
    _LOG.info(
        "%s %s %d %.3f s, request %s, user %s, credential %s",
        *(scope["method"], route, status, seconds, about["correlation_id"], caller, credential),
        extra=about,
    )
