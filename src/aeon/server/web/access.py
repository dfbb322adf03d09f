"""Signing in by a pasted link, and signing out."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.server.auth.caller import COOKIE, SignedIn, begin_session, keep_session
from aeon.server.web.errors import sign_in_page
from aeon.server.web.pages import go_to, language_of

router = APIRouter(include_in_schema=False)


@router.post("/sign-in")
async def sign_in(request: Request, link: Annotated[str, Form(max_length=500)]) -> Response:
    """Begin a session by the whole link or its secret, for browsers without JavaScript."""
    issued = await begin_session(request, link.strip().rpartition("#")[2])
    if issued is None:
        return sign_in_page(language_of(request), is_used=True)
    answer = go_to("/")
    keep_session(answer, issued.secret, request)
    return answer


@router.post("/sign-out")
async def sign_out(caller: SignedIn) -> Response:
    """End this session."""
    await caller.state.call(lambda: caller.workspace.access.revoke(caller.credential, caller.user))
    answer = go_to("/")
    answer.delete_cookie(COOKIE, path="/")
    return answer
