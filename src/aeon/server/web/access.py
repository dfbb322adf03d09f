"""Signing in by a pasted link or by an OpenID provider, and signing out."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from aeon.application.sign_in import PROVIDER_SESSION_DAYS, ProviderAnswer
from aeon.base.errors import AeonError
from aeon.server.auth.caller import COOKIE, SignedIn, begin_attempt, begin_session, keep_session, log_refusal
from aeon.server.auth.provider import forget_pending, keep_pending, pending_of, provider_of, redirect_uri
from aeon.server.edge.routes import QuickRoute
from aeon.server.edge.state import address_of, state_of
from aeon.server.web.errors import sign_in_page
from aeon.server.web.pages import answer as page_answer
from aeon.server.web.pages import fill, go_to, language_of

router = APIRouter(route_class=QuickRoute, include_in_schema=False)


@router.post("/sign-in")
async def sign_in(request: Request, link: Annotated[str, Form(max_length=500)]) -> Response:
    """Begin a session by the whole link or its secret, for browsers without JavaScript."""
    issued = await begin_session(request, link.strip().rpartition("#")[2])
    if issued is None:
        return sign_in_page(request, is_used=True)
    answer = go_to("/")
    keep_session(answer, issued, request)
    return answer


@router.get("/sign-in/provider")
async def begin_at_provider(request: Request) -> Response:
    """Send the browser to the OpenID provider, with a cookie that binds the answer to it."""
    provider = provider_of(request)
    server = state_of(request)
    server.limit_sign_ins(f"begin {address_of(request)}")  # not those of its second half
    begun = await server.call(lambda: provider.begin(redirect_uri(request)))
    answer = RedirectResponse(begun.address, 303)
    keep_pending(answer, begun.cookie, request)
    return answer


@router.get("/sign-in/callback")
async def come_back(
    request: Request,
    state: Annotated[str, Query(max_length=200)] = "",
    code: Annotated[str, Query(max_length=4000)] = "",
    iss: Annotated[str, Query(max_length=1000)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Begin a session for whom the provider names.

    The answer is a page that goes on by itself: a redirect would still count as coming from the provider's site, and
    the browser would not send the cookie of the session.
    """
    provider, server, cookie = provider_of(request), state_of(request), pending_of(request)
    begin_attempt(request)
    await server.workspace(server.owner)  # the first one adds what Aeon ships, and its owner
    given = ProviderAnswer(state, code, iss, error)
    try:
        issued = await server.call(
            lambda: provider.finish(given, cookie, redirect_uri(request), reported_to=server.owner)
        )
    except AeonError as refused:
        log_refusal(request, refused.message)
        raise
    answer = page_answer(fill("signed-in.html", language_of(request), {}))
    forget_pending(answer, request)
    keep_session(answer, issued, request, PROVIDER_SESSION_DAYS)
    return answer


@router.post("/sign-out")
async def sign_out(caller: SignedIn) -> Response:
    """End this session."""
    await caller.state.call(lambda: caller.workspace.access.revoke(caller.credential, caller.user))
    answer = go_to("/")
    answer.delete_cookie(COOKIE, path="/")
    return answer
