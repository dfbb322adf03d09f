"""Signing in by an OpenID provider: what is sent along, what an answer must say, and whom it lets in (platform 31).

Authorization code with PKCE (RFC 6749, RFC 7636, OpenID Connect Core 1.0). All of it is pure, but for random texts.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.access.model import Identity, Role
from aeon.platform.errors import PlatformError

_BYTES: Final = 32
_PARTS: Final = 3
_PART_LENGTH: Final = 43
_SHOWN: Final = 100
_MAX_SUBJECT: Final = 255


class SignInRefusedError(PlatformError):
    """The sign-in by the provider was refused."""

    status = 403
    next_step = "Begin again at the page of this server; if it is refused again, ask an operator."


class ProviderError(PlatformError):
    """The OpenID provider could not be asked, or its answer cannot be used."""

    status = 502
    next_step = "Try again later; an operator finds the provider in the settings of the server."


class PendingSignIn(NamedTuple):
    """What a browser keeps between the two halves of a sign-in: random texts that bind the second to the first.

    `state` binds the answer to this browser, `nonce` the identity token to this sign-in, and `verifier` the code to
    the client that began (RFC 7636).
    """

    state: str
    nonce: str
    verifier: str

    @classmethod
    def begin(cls) -> "PendingSignIn":
        """A new one."""
        return cls(*(secrets.token_urlsafe(_BYTES) for _ in range(_PARTS)))

    @classmethod
    def decode(cls, text: str) -> "PendingSignIn | None":
        """The one that was encoded; None for another text."""
        parts = text.split(".")
        is_whole = len(parts) == _PARTS and all(len(each) == _PART_LENGTH for each in parts)
        return cls(*parts) if is_whole and text.isascii() else None

    def encode(self) -> str:
        """As the value of a cookie."""
        return ".".join(self)

    @property
    def challenge(self) -> str:
        """What the provider gets of the verifier, by the method S256."""
        return urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")


class ProviderAnswer(NamedTuple):
    """What a browser brings back from the provider; an absent parameter is empty. `issuer` is that of RFC 9207."""

    state: str
    code: str = ""
    issuer: str = ""
    error: str = ""


class SignInPolicy(NamedTuple):
    """Whom the settings let in by a provider.

    Who has a verified e-mail address in one of `domains` may become a user. If `operator_claim` is set, it decides at
    each sign-in who is an operator.
    """

    issuer: str
    domains: Sequence[str] = ()
    operator_claim: str | None = None
    operator_values: Sequence[str] = ()

    def new_user_name(self, claims: JsonObject) -> str | None:
        """The name under which an unknown identity becomes a user: its e-mail address; None if it may not."""
        email = claims.get("email")
        if claims.get("email_verified") is not True or not isinstance(email, str) or email.count("@") != 1:
            return None
        address = email.lower()
        is_allowed = address.partition("@")[2] in {each.lower() for each in self.domains}
        return address if is_allowed else None

    def role_of(self, claims: JsonObject) -> Role | None:
        """The role that the claim gives; None if no claim decides."""
        if self.operator_claim is None:
            return None
        value: Json = claims.get(self.operator_claim)
        values = cast("list[Json]", value) if isinstance(value, list) else [value]
        return "operator" if any(each in self.operator_values for each in values) else "user"


class IdentityProvider(Protocol):
    """An OpenID provider. Both methods raise ProviderError, and may block."""

    def authorization_url(self, pending: PendingSignIn, redirect_uri: str) -> str:
        """Return where a browser goes to sign in."""
        ...

    def redeem(self, answer: ProviderAnswer, pending: PendingSignIn, redirect_uri: str) -> JsonObject:
        """Return the claims of the identity token that the code of an answer is worth.

        Signature, issuer, audience, expiry and nonce of the token have been checked. Raises SignInRefusedError.
        """
        ...


def check_answer(answer: ProviderAnswer, pending: PendingSignIn, issuer: str) -> None:
    """Raise SignInRefusedError unless an answer belongs to the sign-in that this browser began, and has a code."""
    if not hmac.compare_digest(answer.state.encode(), pending.state.encode()):
        raise SignInRefusedError("This answer belongs to another sign-in than the one that this browser began.")
    if answer.issuer and answer.issuer != issuer:
        raise SignInRefusedError("This answer comes from another provider than the one that was asked.")
    if answer.error:
        shown = "".join(each for each in answer.error[:_SHOWN] if each.isascii() and each.isprintable())
        raise SignInRefusedError(f"The provider refused to sign you in: {shown}.")
    if not answer.code:
        raise SignInRefusedError("The answer of the provider has no code.")


def check_claims(claims: JsonObject, client_id: str, nonce: str) -> None:
    """Raise SignInRefusedError unless a token was made for this client and this sign-in (Core 3.1.3.7)."""
    audience: Json = claims.get("aud")
    is_shared = isinstance(audience, list) and audience != [client_id]
    if claims.get("azp", None if is_shared else client_id) != client_id:
        raise SignInRefusedError("The provider's token was made for another program.")
    subject: Json = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _MAX_SUBJECT:
        raise SignInRefusedError("The provider's token does not say about whom it is.")
    given: Json = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise SignInRefusedError("The provider's token belongs to another sign-in.")


def identity_of(claims: JsonObject) -> Identity:
    """The identity that checked claims are about."""
    return Identity(claims["iss"], claims["sub"])
