"""Requests that the kernel plans and runs, for the user to whom the project's folder belongs."""

from collections.abc import AsyncGenerator
from typing import Annotated, Final, Literal

import anyio
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.base.json import JsonObject
from aeon.server.auth.caller import Caller, FolderOwner
from aeon.server.edge.problems import HttpError
from aeon.server.edge.streams import END, StreamEvent, resume_point, stream
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, Change, Cursor, Limit, Wait, page, thing
from aeon.server.rest.route import RestRoute
from aeon.tools.interface import Tool

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["requests"], responses=dict(PROBLEM))

_LOOK_EVERY: Final = 0.1
"""Seconds between two looks for new events."""

Tools = Literal["catalog"]


class NewRequest(BaseModel):
    """A request in the user's own words; with `tools: catalog`, stored tools may do it too."""

    model_config = ConfigDict(extra="forbid")

    request: str = Field(min_length=1, max_length=10_000)
    tools: Tools | None = None


@router.post("/requests", status_code=202)
async def begin_request(new: NewRequest, caller: FolderOwner, asked: Asked, seconds: Wait) -> JSONResponse:
    """Plan and run a request; one runs at a time. With `Prefer: wait=30`, the answer is 200 once it has ended."""
    requests = caller.state.owned.requests

    def begin() -> str:
        fields: JsonObject = new.model_dump()
        id_ = caller.workspace.idempotency.reserve_id("request.begin", fields, requests.new_id(), asked.key)
        if not asked.is_replayed:
            requests.start(id_, new.request, _tools(caller, new.tools), caller.state.stopping.is_set)
        elif requests.describe(id_) is None:
            raise HttpError(
                409,
                f"The request {id_} was accepted before, and nothing is known of its beginning.",
                next_step="If another server has accepted it, look there; else send it with another key.",
            )
        return id_

    return await _begun(caller, await caller.state.call(begin), seconds, asked)


@router.get("/requests")
async def list_requests(caller: FolderOwner, cursor: Cursor = None, limit: Limit = 50) -> JSONResponse:
    """All requests that ran in this project, newest first, also those of the command line."""
    requests = caller.state.owned.requests
    return page(await caller.state.call(lambda: requests.list(after=cursor, limit=limit)), requests.as_listed)


@router.get("/requests/{request_id}")
async def get_request(request_id: str, caller: FolderOwner) -> JSONResponse:
    """A request with its plan, the results of its steps, and the marks that say why to doubt its answer."""
    return thing(await _described(caller, request_id))


@router.get("/requests/{request_id}/events")
async def follow(
    request_id: str, request: Request, caller: FolderOwner, after: Annotated[int, Query(ge=0)] = 0
) -> Response:
    """What happens, as it happens, then `end` with the whole request.

    Events are kept as long as this server runs; of other requests there is `end` alone.
    """
    await _described(caller, request_id)  # 404 before the stream begins
    return stream(caller.state, caller.reader, _events(caller, request_id, resume_point(request, after)))


@router.post("/requests/{request_id}/cancel", status_code=202)
async def cancel_request(request_id: str, caller: FolderOwner) -> JSONResponse:
    """Stop a request before its next step; it can be resumed. 409 if it does not run in this server."""
    await _described(caller, request_id)
    begun = caller.state.owned.requests.find(request_id)
    if begun is None or begun.is_over:
        raise HttpError(409, "This request does not run here.", next_step="Look at its state.")
    begun.cancel()
    return await _begun(caller, begun.id, 0)


@router.post("/requests/{request_id}/resume", status_code=202)
async def resume_request(request_id: str, caller: FolderOwner, tools: Tools | None = None) -> JSONResponse:
    """Go on with a request from the last entry of its log; 422 if all of its steps were executed."""
    requests = caller.state.owned.requests
    begun = await caller.state.call(
        lambda: requests.resume(request_id, _tools(caller, tools), caller.state.stopping.is_set)
    )
    if begun is None:
        raise _missing(request_id)
    return await _begun(caller, begun.id, 0)


def _tools(caller: Caller, tools: Tools | None) -> list[Tool]:
    return [] if tools is None else [*caller.workspace.tools.list_for_kernel()]


async def _begun(caller: Caller, id_: str, seconds: float, asked: Change | None = None) -> JSONResponse:
    """The answer with a request that was begun: 200 if it was waited for and has ended."""
    begun = caller.state.owned.requests.find(id_)
    if seconds and begun is not None:
        await caller.state.call(lambda: begun.wait(seconds))
    status = 200 if seconds and (begun is None or begun.is_over) else 202
    return thing(await _described(caller, id_), status=status, location=f"/requests/{id_}", change=asked)


async def _described(caller: Caller, id_: str) -> JsonObject:
    found = await caller.state.call(lambda: caller.state.owned.requests.describe(id_))
    if found is None:
        raise _missing(id_)
    return found


def _missing(id_: str) -> HttpError:
    return HttpError(404, f"There is no request {id_[:100]!r}.", next_step="See GET /api/v1/requests.")


async def _events(caller: Caller, id_: str, after: int) -> AsyncGenerator[StreamEvent | None]:
    begun = caller.state.owned.requests.find(id_)
    while begun is not None:
        is_over = begun.is_over  # looked at before the events, so that none is missed
        for number, event in enumerate(begun.events[after:], after + 1):
            after = number
            yield StreamEvent("event", event, number)
        if is_over:
            break
        yield None
        await anyio.sleep(_LOOK_EVERY)
    yield StreamEvent(END, await _described(caller, id_))
