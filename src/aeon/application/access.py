"""`AccessService`: who a caller of a server is, and what lets a program or a browser in (platform 31)."""

from typing import TYPE_CHECKING, Final

from aeon.platform.access.model import Credential, IssuedCredential, NewCredential, Scope

if TYPE_CHECKING:
    from aeon.bootstrap.platform import Platform

__all__ = ["AccessService", "Credential", "IssuedCredential"]

LINK_MINUTES: Final = 10
"""How long a sign-in link is valid."""

SESSION_DAYS: Final = 30.0
"""How long a browser stays signed in."""

TOKEN_DAYS: Final = 90.0
"""How long a token is valid unless its user says otherwise."""

_MINUTES_A_DAY: Final = 24 * 60


class AccessService:
    """Links, sessions and tokens of the users of one record. Threads may share it. Every method raises StoreError."""

    def __init__(self, platform: "Platform") -> None:
        """The caller closes `platform`."""
        self._credentials = platform.credentials

    def new_link(self, user: str) -> str:
        """Return the secret of a link that signs a browser in once, within ten minutes."""
        return self._credentials.issue(NewCredential("link", LINK_MINUTES / _MINUTES_A_DAY), user).secret

    def sign_in(self, link: str) -> IssuedCredential | None:
        """Begin a session by the secret of a link; None if it was used, has expired or is none."""
        return self._credentials.redeem_link(link, NewCredential("session", SESSION_DAYS))

    def link_user(self, link: str) -> str | None:
        """Return whom the secret of a link would sign in, without using it up; None if it is not valid."""
        found = self._credentials.find(link, "link")
        return None if found is None else found.user_id

    def session(self, secret: str) -> Credential | None:
        """Return the session with this secret; None if there is none, such as after signing out."""
        return self._credentials.find(secret, "session")

    def token(self, secret: str) -> Credential | None:
        """Return the token with this secret; None if there is none, such as after it was revoked."""
        return self._credentials.find(secret, "token")

    def is_valid(self, id_: str) -> bool:
        """Return whether a session or a token still lets its user in."""
        return self._credentials.is_valid(id_)

    def new_token(self, user: str, name: str, *, scope: Scope = "write", days: float = TOKEN_DAYS) -> IssuedCredential:
        """Make a token for a program of the user; its secret is shown once. Raises RuleError."""
        return self._credentials.issue(NewCredential("token", days, name, scope), user)

    def list_tokens(self, user: str) -> list[Credential]:
        """Return the user's tokens, oldest first."""
        return self._credentials.list(user, "token")

    def list_sessions(self, user: str) -> list[Credential]:
        """Return the user's sessions, oldest first."""
        return self._credentials.list(user, "session")

    def revoke(self, id_: str, user: str) -> None:
        """End a token or a session of the user at once. Raises NotFoundError."""
        self._credentials.revoke(id_, user)
