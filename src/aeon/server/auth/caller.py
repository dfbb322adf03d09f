"""Finds out who sends a request, the same way for every door (platform 31)."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final, NamedTuple

from fastapi import Depends, Query, Request, Response

from aeon.application.access import SESSION_DAYS, Credential, IssuedCredential
from aeon.application.audit import set_change_origin
from aeon.application.users import Permission
from aeon.application.workspace import Workspace
from aeon.base.loggers import room_logger
from aeon.server.edge.problems import HttpError
from aeon.server.edge.routes import READING, quota_of
from aeon.server.edge.state import ServerState, address_of, correlation_of, state_of
from aeon.server.edge.streams import Reader

_LOG = room_logger("server")

COOKIE: Final = "aeon_session"

_DAY: Final = 24 * 60 * 60
_BEARER: Final = "bearer "
_SHARED_NAMES: Final = frozenset({"127.0.0.1", "localhost"})


class Caller(NamedTuple):
    """The user who sends a request, and the id of the credential that was shown."""

    user: str
    credential: str
    workspace: Workspace
    state: ServerState

    def may(self, permission: Permission) -> bool:
        """Whether the user's role allows something that not everybody may do. Blocks; raises StoreError."""
        return self.workspace.users.may(permission, self.state.owner)

    @property
    def reader(self) -> Reader:
        """As whom they read streams."""
        return Reader(self.user, self.credential)


async def signed_in(request: Request) -> Caller:
    """Return who sends a request: by the token in its header, or else by the cookie of a browser.

    Raises HttpError for nobody, for a change by a token that only reads, and for too many requests.
    """
    if request.headers.get("authorization"):
        return await with_token(request)
    return await _caller(request, await session_of(request))


async def session_of(request: Request) -> Credential | None:
    """Return the session of the browser that sends a request; None if it has none."""
    state = state_of(request)
    cookie = "" if _has_shared_name(request) else request.cookies.get(COOKIE, "")
    access = (await state.workspace(state.owner)).access
    return await state.call(lambda: access.session(cookie)) if cookie else None


async def with_token(request: Request) -> Caller:
    """Return who sends a request, by the token in its header alone. Raises HttpError as `signed_in` does."""
    state = state_of(request)
    header = request.headers.get("authorization", "")
    secret = header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else ""
    access = (await state.workspace(state.owner)).access
    return await _caller(request, await state.call(lambda: access.token(secret)) if secret else None)


async def owning_folder(request: Request) -> Caller:
    """Return who sends a request, if the project's folder belongs to that user. Raises HttpError."""
    caller = await signed_in(request)
    if caller.user != caller.state.owner:
        raise HttpError(403, "Only the user to whom the project's folder belongs may do this.")
    return caller


def requires(permission: Permission) -> Callable[[Request], Awaitable[Caller]]:
    """Return what finds out who sends a request, if their role allows this. It raises HttpError and ForbiddenError."""

    async def allowed(request: Request) -> Caller:
        caller = await signed_in(request)
        await _require(caller, permission)
        return caller

    return allowed


async def reading(
    request: Request,
    user: Annotated[str | None, Query(max_length=200, description="Another user's; for operators.")] = None,
) -> Caller:
    """Return who sends a request, with the workspace of the user of whom they want to read.

    Raises HttpError, ForbiddenError for another user's without the role, and UnknownUserError.
    """
    caller = await signed_in(request)
    if user is None or user == caller.user:
        return caller
    await _require(caller, "read_others")
    await caller.state.call(lambda: caller.workspace.users.get(user))
    return caller._replace(workspace=await caller.state.workspace(user))


async def _require(caller: Caller, permission: Permission) -> None:
    await caller.state.call(lambda: caller.workspace.users.require(permission, caller.state.owner))


async def _caller(request: Request, found: Credential | None) -> Caller:
    state = state_of(request)
    if found is None:
        raise HttpError(
            401,
            "You are not signed in.",
            next_step="Open the link that `aeon serve` prints, or send a token: Authorization: Bearer ...",
            headers={"www-authenticate": 'Bearer realm="aeon"'},
        )
    if found.scope == "read" and request.method not in READING:
        raise HttpError(403, "This token only reads.", next_step="Use one with the scope `write`.")
    request.state.user, request.state.credential = found.user_id, found.id
    set_change_origin(found.id, address_of(request))
    state.limit(quota_of(request.scope), found.user_id)
    return Caller(found.user_id, found.id, await state.workspace(found.user_id), state)


async def user_of_link(request: Request, secret: str) -> str | None:
    """Return whom the secret of a sign-in link would sign in, without using it up; None if it is not valid.

    Raises HttpError as `begin_session` does.
    """
    require_own_name(request)
    state = state_of(request)
    begin_attempt(request)
    access = (await state.workspace(state.owner)).access
    return await state.call(lambda: access.link_user(secret))


async def begin_session(request: Request, secret: str) -> IssuedCredential | None:
    """Begin a session by the secret of a sign-in link; None if that was used or has expired.

    Raises HttpError for too many attempts and for a name that `require_own_name` refuses.
    """
    require_own_name(request)
    state = state_of(request)
    begin_attempt(request)
    access = (await state.workspace(state.owner)).access
    issued = await state.call(lambda: access.sign_in(secret))
    if issued is None:
        log_refusal(request, "the link was used or has expired")
    return issued


def require_own_name(request: Request) -> None:
    """Refuse to sign a browser in under a name that other servers of this machine have, too.

    A browser sends the cookies of a name to every port of it, so a session there would be known to all of them. Raises
    HttpError.
    """
    if _has_shared_name(request):
        raise HttpError(
            403,
            "A browser signs in under the server's own name alone.",
            next_step="Open the link that `aeon serve` prints, as it is.",
        )


def begin_attempt(request: Request) -> None:
    """Count an attempt to sign in, and let the audit log know from where it comes. Raises HttpError for too many."""
    state_of(request).limit_sign_ins(address_of(request))
    set_change_origin(None, address_of(request))


def log_refusal(request: Request, reason: str) -> None:
    """Log that somebody was not signed in, and why; never a secret."""
    about = {"address": address_of(request), "correlation_id": correlation_of(request)}
    values = about["address"], about["correlation_id"], reason
    _LOG.warning("sign-in refused, from %s, request %s: %s", *values, extra=about)


def _has_shared_name(request: Request) -> bool:
    return request.url.hostname in _SHARED_NAMES


def keep_session(answer: Response, issued: IssuedCredential, request: Request, days: float = SESSION_DAYS) -> None:
    """Give a browser the cookie of its session: over https alone if it has signed in so. The log says who it is."""
    request.state.user, request.state.credential = issued.credential.user_id, issued.credential.id
    answer.set_cookie(
        COOKIE,
        issued.secret,
        max_age=int(days * _DAY),
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


SignedIn = Annotated[Caller, Depends(signed_in)]
FolderOwner = Annotated[Caller, Depends(owning_folder)]
FolderOperator = Annotated[Caller, Depends(requires("manage_folder"))]
UserOperator = Annotated[Caller, Depends(requires("manage_users"))]
WorkerReader = Annotated[Caller, Depends(requires("see_workers"))]
RecordReader = Annotated[Caller, Depends(reading)]
WithToken = Annotated[Caller, Depends(with_token)]
