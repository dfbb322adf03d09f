"""Signing in by an OpenID provider: the cookie of a sign-in that has begun, and where its answer goes (platform 31)."""

from typing import Final

from fastapi import Request, Response

from aeon.application.sign_in import ProviderSignIn
from aeon.server.auth.caller import require_own_name
from aeon.server.edge.problems import HttpError
from aeon.server.edge.state import state_of

_CALLBACK: Final = "/sign-in/callback"
_NAME: Final = "aeon_sign_in"
_SECONDS: Final = 600
"""How long a sign-in may take."""


def provider_of(request: Request) -> ProviderSignIn:
    """Return the provider of the server that got a request. Raises HttpError if it has none, or has a shared name."""
    provider = state_of(request).provider
    if provider is None:
        raise HttpError(404, "This server has no OpenID provider.", next_step="Sign in by the link that it printed.")
    require_own_name(request)
    return provider


def redirect_uri(request: Request) -> str:
    """Return where the provider sends the browser back to: this very server, whose name the guard has checked."""
    return f"{request.url.scheme}://{request.url.netloc}{_CALLBACK}"


def keep_pending(answer: Response, value: str, request: Request) -> None:
    """Give a browser the cookie of a sign-in that has begun.

    It is sent when the browser comes back from the provider's site, so it is not strict as that of a session is.
    """
    answer.set_cookie(
        _cookie_name(request),
        value,
        max_age=_SECONDS,
        path="/",
        secure=_is_https(request),
        httponly=True,
        samesite="lax",
    )


def pending_of(request: Request) -> str:
    """Return the value of that cookie; empty if there is none."""
    return request.cookies.get(_cookie_name(request), "")


def forget_pending(answer: Response, request: Request) -> None:
    """Take that cookie back: an answer of the provider is good for one session."""
    name = _cookie_name(request)
    answer.delete_cookie(name, path="/", secure=_is_https(request), httponly=True, samesite="lax")


def _cookie_name(request: Request) -> str:
    """A name that no other host may set a cookie of, where the browser can know that (RFC 6265bis 4.1.3.2)."""
    return f"__Host-{_NAME}" if _is_https(request) else _NAME


def _is_https(request: Request) -> bool:
    return request.url.scheme == "https"
