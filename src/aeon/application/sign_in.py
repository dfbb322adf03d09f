"""`ProviderSignIn`: a browser signs in by an OpenID provider, in two halves (platform 31)."""

from typing import Final, NamedTuple
from urllib.parse import urlsplit

from aeon.base.json import JsonObject
from aeon.platform.access.accounts import AccountRepository
from aeon.platform.access.model import AccountChange, Identity, IssuedCredential, NewCredential
from aeon.platform.access.openid import (
    IdentityProvider,
    PendingSignIn,
    ProviderAnswer,
    SignInPolicy,
    SignInRefusedError,
    check_answer,
    identity_of,
)
from aeon.platform.access.repository import CredentialRepository
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.errors import ConflictError
from aeon.platform.ledger import MutationRequest

__all__ = ["PROVIDER_SESSION_DAYS", "BegunSignIn", "ProviderAnswer", "ProviderSignIn"]

PROVIDER_SESSION_DAYS: Final = 1.0
"""How long a browser stays signed in by a provider; the provider is asked again then, and may know better."""

_BY_SETTINGS: Final = MutationRequest(DEFAULTS_OWNER)
"""Who changes users as the settings say: Aeon itself."""


class BegunSignIn(NamedTuple):
    """The first half of a sign-in: where the browser goes, and what it keeps as a cookie until it comes back."""

    address: str
    cookie: str


class ProviderSignIn:
    """Signs people in by one provider. Threads may share it. Its methods block, and raise StoreError."""

    def __init__(
        self,
        provider: IdentityProvider,
        policy: SignInPolicy,
        accounts: AccountRepository,
        credentials: CredentialRepository,
    ) -> None:
        self._provider = provider
        self._policy = policy
        self._accounts = accounts
        self._credentials = credentials

    @property
    def name(self) -> str:
        """The provider's name for people: its host."""
        return urlsplit(self._policy.issuer).hostname or self._policy.issuer

    def begin(self, redirect_uri: str) -> BegunSignIn:
        """Begin a sign-in; the provider sends its answer to `redirect_uri`. Raises ProviderError."""
        pending = PendingSignIn.begin()
        return BegunSignIn(self._provider.authorization_url(pending, redirect_uri), pending.encode())

    def finish(self, answer: ProviderAnswer, cookie: str, redirect_uri: str, *, reported_to: str) -> IssuedCredential:
        """Begin a session for whom the provider names; `reported_to` is the user whose audit log has refusals.

        Raises SignInRefusedError and ProviderError.
        """
        pending = PendingSignIn.decode(cookie)
        if pending is None:
            raise SignInRefusedError("This browser did not begin the sign-in, or it took too long.")
        check_answer(answer, pending, self._policy.issuer)
        claims = self._provider.redeem(answer, pending, redirect_uri)
        identity = identity_of(claims)
        user = self._accounts.user_of(identity) or self._new_user(identity, claims, reported_to)
        if not self._accounts.get(user).enabled:
            raise self._refused(identity, user, "The user is disabled.")
        self._set_role(user, claims)
        by = f"{identity.subject} of {identity.issuer}"
        return self._credentials.issue(NewCredential("session", PROVIDER_SESSION_DAYS), user, by=by)

    def _new_user(self, identity: Identity, claims: JsonObject, reported_to: str) -> str:
        """Add a user for an identity that is linked to none, if the settings allow it."""
        name = self._policy.new_user_name(claims)
        if name is None:
            raise self._refused(identity, reported_to, "No user of this server is linked to you.")
        try:
            self._accounts.create(name, "user", _BY_SETTINGS)
        except ConflictError:
            raise self._refused(identity, reported_to, "The user with your e-mail address is another.") from None
        self._accounts.link(name, identity, _BY_SETTINGS)
        return name

    def _set_role(self, user: str, claims: JsonObject) -> None:
        role = self._policy.role_of(claims)
        if role is not None and role != self._accounts.get(user).role:
            self._accounts.change(user, AccountChange(role=role), _BY_SETTINGS)

    def _refused(self, identity: Identity, user: str, reason: str) -> SignInRefusedError:
        self._accounts.record_refusal(user, identity, reason)
        return SignInRefusedError(reason, next_step=f"Tell an operator your id at the provider: {identity.subject}")
