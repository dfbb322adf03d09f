"""Signing in by a pasted link or by an OpenID provider, and signing out."""

from contextlib import suppress
from typing import Annotated, Final

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from aeon.application.access import Credential
from aeon.application.sign_in import PROVIDER_SESSION_DAYS, ProviderAnswer
from aeon.base.errors import AeonError
from aeon.platform.errors import NotFoundError
from aeon.server.auth.caller import (
    COOKIE,
    SignedIn,
    begin_attempt,
    begin_session,
    keep_session,
    log_refusal,
    session_of,
    user_of_link,
)
from aeon.server.auth.provider import forget_pending, keep_pending, pending_of, provider_of, redirect_uri
from aeon.server.edge.routes import QuickRoute
from aeon.server.edge.state import address_of, state_of
from aeon.server.web.errors import sign_in_page
from aeon.server.web.pages import answer as page_answer
from aeon.server.web.pages import fill, go_to, language_of

router = APIRouter(route_class=QuickRoute, include_in_schema=False)

_CONFLICT: Final = 409
_STILL_SIGNED_IN: Final = "/?link=used"


@router.post("/sign-in")
async def sign_in(
    request: Request,
    link: Annotated[str, Form(max_length=500)],
    instead_of: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Begin a session by the whole link or its secret.

    In a browser that is signed in as somebody else, it is asked first: another site may have opened the link.
    `instead_of` is the user whose session the person at the browser has agreed to end.
    """
    secret = link.strip().rpartition("#")[2]
    before = await session_of(request)
    if before is not None and before.user_id != instead_of:
        wanted = await user_of_link(request, secret)
        if wanted is None:
            return go_to(_STILL_SIGNED_IN)
        if wanted != before.user_id:
            return _ask_first(request, before.user_id, wanted, secret)
    issued = await begin_session(request, secret)
    if issued is None:
        return sign_in_page(request, is_used=True) if before is None else go_to(_STILL_SIGNED_IN)
    await _end_session(request, before)
    answer = go_to("/")
    keep_session(answer, issued, request)
    return answer


@router.get("/sign-in")
async def go_back() -> Response:
    """Lead to the first page, or to the way to sign in: a refused form leaves this address in the browser."""
    return go_to("/")


def _ask_first(request: Request, before: str, wanted: str, secret: str) -> Response:
    """The page that asks whether another user's session may take the place of this one."""
    values = {"before": before, "wanted": wanted, "secret": secret}
    return page_answer(fill("other-user.html", language_of(request), values), _CONFLICT)


async def _end_session(request: Request, session: Credential | None) -> None:
    """End the session that another one has replaced in this browser."""
    if session is None:
        return
    server = state_of(request)
    access = (await server.workspace(session.user_id)).access
    with suppress(NotFoundError):  # ended meanwhile
        await server.call(lambda: access.revoke(session.id, session.user_id))


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
