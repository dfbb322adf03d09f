"""JSON bodies, read as strictly as everything else that Aeon reads."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from aeon.base.json import Json, parse_strict


class JsonRequest(Request):
    """A request whose body is RFC 8259 JSON: a name that comes twice in an object is refused, so are NaN and Infinity.

    Else the last of two values would win, and nobody would see that the other was dropped.
    """

    async def json(self) -> Json:
        """The value of the body. Raises JSONDecodeError, at position 0 for what a decoder would accept."""
        body = await self.body()
        text = body.decode(json.detect_encoding(body))
        try:
            return parse_strict(text)
        except json.JSONDecodeError:
            raise
        except ValueError as error:
            raise json.JSONDecodeError(str(error), text, 0) from None


class JsonRoute(APIRoute):
    """A route whose operation gets a `JsonRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        answer = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await answer(JsonRequest(request.scope, request.receive))

        return strict
