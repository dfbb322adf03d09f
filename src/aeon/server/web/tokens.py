"""The page of the user's access tokens: listed, made with their secret shown once, revoked (platform 31)."""

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.access import TOKEN_DAYS, Credential
from aeon.base.errors import AeonError
from aeon.platform.access.model import IssuedCredential, Scope
from aeon.platform.errors import NotFoundError
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.errors import ShownError, shown_error
from aeon.server.web.pages import go_to, language_of, page
from aeon.server.web.texts import text

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/tokens")

_MAX_DAYS: Final = 366


@router.get("")
async def list_tokens(caller: SignedIn, request: Request) -> Response:
    """The user's tokens, and the form for another one."""
    return await _show(caller, request)


@router.post("")
async def create(
    caller: SignedIn,
    request: Request,
    name: Annotated[str, Form(max_length=100)],
    scope: Annotated[Scope, Form()] = "read",
    days: Annotated[float, Form(gt=0, le=_MAX_DAYS)] = TOKEN_DAYS,
) -> Response:
    """Make a token. This answer alone has its secret, so it is no redirect."""
    access = caller.workspace.access
    try:
        made = await caller.state.call(lambda: access.new_token(caller.user, name, scope=scope, days=days))
    except AeonError as error:
        return await _show(caller, request, problem=shown_error(error))
    return await _show(caller, request, made=made)


@router.get("/{token}/revoke")
async def ask_to_revoke(token: str, caller: SignedIn, request: Request) -> Response:
    """Ask whether a token is to be revoked."""
    found = await caller.state.call(lambda: _find(caller, token))
    language = language_of(request)
    values: dict[str, object] = {
        "heading": text(language, "revoke_this", name=found.name or found.id),
        "lines": [text(language, "revoking_is_final")],
        "action": f"/tokens/{found.id}/revoke",
        "button": text(language, "revoke"),
        "back": "/tokens",
        "version": None,
    }
    return await page(caller, request, "confirm.html", values)


@router.post("/{token}/revoke")
async def revoke(token: str, caller: SignedIn) -> Response:
    """Revoke a token at once."""
    await caller.state.call(lambda: caller.workspace.access.revoke(_find(caller, token).id, caller.user))
    return go_to("/tokens")


async def _show(
    caller: Caller, request: Request, *, made: IssuedCredential | None = None, problem: ShownError | None = None
) -> Response:
    found = await caller.state.call(lambda: caller.workspace.access.list_tokens(caller.user))
    values = {"tokens": found, "made": made, "problem": problem, "days": int(TOKEN_DAYS), "max_days": _MAX_DAYS}
    return await page(caller, request, "tokens.html", values, 200 if problem is None else problem.status)


def _find(caller: Caller, token: str) -> Credential:
    """The user's own token of this id. Raises NotFoundError."""
    for each in caller.workspace.access.list_tokens(caller.user):
        if each.id == token:
            return each
    raise NotFoundError(f"You have no token with the id {token!r}.")
