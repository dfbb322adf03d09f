"""Signing in and out, and tokens for programs (platform 31)."""

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.application.access import TOKEN_DAYS
from aeon.server.auth.caller import COOKIE, SignedIn, begin_session, keep_session
from aeon.server.edge.problems import HttpError
from aeon.server.rest.answers import PREFIX, PROBLEM, EachTime, listed, thing
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["access"], responses=dict(PROBLEM))


class Link(BaseModel):
    """The secret of a sign-in link."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    link: str = Field(min_length=1, max_length=200)


class NewToken(BaseModel):
    """A token to make; `days` says how long it is valid."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    scope: Literal["read", "write"] = "write"
    days: float = Field(default=TOKEN_DAYS, gt=0, le=366)


@router.post("/session", status_code=201)
async def sign_in(link: Link, request: Request) -> JSONResponse:
    """Begin a session by the link that `aeon serve` printed, which works once; its cookie is the browser's."""
    issued = await begin_session(request, link.link)
    if issued is None:
        raise HttpError(
            401,
            "This link was used or has expired.",
            next_step="Print a new one: aeon serve link",
        )
    answer = thing(issued.credential.as_dict(), status=201)
    keep_session(answer, issued, request)
    return answer


@router.get("/session")
async def get_session(caller: SignedIn) -> JSONResponse:
    """Who you are."""
    return thing({"userId": caller.user, "credential": caller.credential})


@router.delete("/session", status_code=204)
async def sign_out(caller: SignedIn) -> Response:
    """End this session, or this token."""
    await caller.state.call(lambda: caller.workspace.access.revoke(caller.credential, caller.user))
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/")
    return answer


@router.get("/tokens")
async def list_tokens(caller: SignedIn) -> JSONResponse:
    """Your tokens, without their secrets."""
    found = await caller.state.call(lambda: caller.workspace.access.list_tokens(caller.user))
    return listed([each.as_dict() for each in found])


@router.post("/tokens", status_code=201, dependencies=[EachTime])
async def create_token(new: NewToken, caller: SignedIn) -> JSONResponse:
    """Make a token; its secret is in this answer and nowhere else."""
    access = caller.workspace.access
    issued = await caller.state.call(lambda: access.new_token(caller.user, new.name, scope=new.scope, days=new.days))
    answer = thing({**issued.credential.as_dict(), "secret": issued.secret}, status=201)
    answer.headers["cache-control"] = "no-store"
    return answer


@router.delete("/tokens/{token}", status_code=204)
async def revoke_token(token: str, caller: SignedIn) -> Response:
    """Revoke a token or a session at once."""
    await caller.state.call(lambda: caller.workspace.access.revoke(token, caller.user))
    return Response(status_code=204)
