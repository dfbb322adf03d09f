"""Finds out who sends a request, the same way for every door (platform 31)."""

from typing import Annotated, Final, NamedTuple

from fastapi import Depends, Request

from aeon.application.access import Credential
from aeon.application.workspace import Workspace
from aeon.server.edge.problems import RequestError
from aeon.server.edge.state import ServerState, state_of

COOKIE: Final = "aeon_session"

_BEARER: Final = "bearer "
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Caller(NamedTuple):
    """The user who sends a request, and the id of the credential that was shown."""

    user: str
    credential: str
    workspace: Workspace
    state: ServerState


async def signed_in(request: Request) -> Caller:
    """Return who sends a request: by the token in its header, or else by the cookie of a browser.

    Raises RequestError for nobody, and for a change by a token that only reads.
    """
    state = state_of(request)
    if request.headers.get("authorization"):
        return await with_token(request)
    cookie = request.cookies.get(COOKIE, "")
    access = (await state.workspace(state.owner)).access
    return await _caller(request, await state.call(lambda: access.session(cookie)) if cookie else None)


async def with_token(request: Request) -> Caller:
    """Return who sends a request, by the token in its header alone. Raises RequestError as `signed_in` does."""
    state = state_of(request)
    header = request.headers.get("authorization", "")
    secret = header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else ""
    access = (await state.workspace(state.owner)).access
    return await _caller(request, await state.call(lambda: access.token(secret)) if secret else None)


async def owning_folder(request: Request) -> Caller:
    """Return who sends a request, if the project's folder belongs to that user. Raises RequestError."""
    caller = await signed_in(request)
    if caller.user != caller.state.owner:
        raise RequestError(403, "Only the user to whom the project's folder belongs may do this.")
    return caller


async def _caller(request: Request, found: Credential | None) -> Caller:
    state = state_of(request)
    if found is None:
        raise RequestError(
            401,
            "You are not signed in.",
            next_step="Open the link that `aeon serve` prints, or send a token: Authorization: Bearer ...",
            headers={"www-authenticate": 'Bearer realm="aeon"'},
        )
    if found.scope == "read" and request.method not in _READING:
        raise RequestError(403, "This token only reads.", next_step="Use one with the scope `write`.")
    return Caller(found.user_id, found.id, await state.workspace(found.user_id), state)


SignedIn = Annotated[Caller, Depends(signed_in)]
FolderOwner = Annotated[Caller, Depends(owning_folder)]
WithToken = Annotated[Caller, Depends(with_token)]
