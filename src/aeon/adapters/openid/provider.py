"""Asks an OpenID provider: discovery, keys, and the token for a code, with limits on time and size (platform 31)."""

import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, cast
from urllib.parse import quote_plus, urlencode

from aeon.adapters.operations.host_addresses import resolve_host
from aeon.adapters.operations.http_client import HttpRequest, HttpResponse, HttpSender, url_of
from aeon.adapters.operations.tls import client_context
from aeon.base.addresses import is_safe_address
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.access.openid import (
    PendingSignIn,
    ProviderAnswer,
    ProviderError,
    SignInRefusedError,
    check_claims,
)
from aeon.platform.catalog.operations import OperationError

if TYPE_CHECKING:
    from jwt import PyJWK

ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")
"""How a token may be signed: with a private key that only the provider has. The token does not choose from others."""

_DISCOVERY: Final = "/.well-known/openid-configuration"
_SECONDS: Final = 10.0
_MAX_BYTES: Final = 256 * 1024
_KEPT_FOR: Final = 3600.0
"""Seconds for which the provider's description and keys are kept."""

_ASKED_AGAIN_AFTER: Final = 5.0
"""Seconds after which a provider that could not be used is asked again; anybody can begin a sign-in."""

_CLOCKS_DIFFER: Final = 60
"""Seconds by which the clocks of provider and server may differ."""

_OK: Final = 200
_REFUSALS: Final = (400, 401, 403)
_CODES: Final = ("invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope")
"""The error codes of the token endpoint that are repeated (RFC 6749 5.2); other text may be anything."""

_REQUIRED: Final = ("iss", "sub", "aud", "exp", "iat")


class ClientRegistration(NamedTuple):
    """What the provider knows of this server. `secret` is None for a public client, which PKCE alone protects."""

    issuer: str
    client_id: str
    secret: str | None
    scopes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"ClientRegistration({self.issuer}, {self.client_id})"


@dataclass(frozen=True, slots=True)
class _Description:
    """What the discovery document says, and the keys."""

    document: JsonObject
    keys: "Mapping[str | None, PyJWK]"
    read_at: float


class HttpIdentityProvider:
    """An `IdentityProvider` over HTTP. Threads may share it."""

    def __init__(self, client: ClientRegistration, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`monotonic` returns seconds on a clock that never goes back."""
        self._client = client
        self._monotonic = monotonic
        self._description: _Description | None = None
        self._failure: tuple[float, ProviderError] | None = None

    def authorization_url(self, pending: PendingSignIn, redirect_uri: str) -> str:
        """Return where a browser goes to sign in. Raises ProviderError."""
        endpoint = self._described().document["authorization_endpoint"]
        query = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(self._client.scopes),
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": pending.challenge,
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def redeem(self, answer: ProviderAnswer, pending: PendingSignIn, redirect_uri: str) -> JsonObject:
        """Return the checked claims of the token that a code is worth. Raises ProviderError, SignInRefusedError."""
        document = self._described().document
        if document.get("authorization_response_iss_parameter_supported") is True and not answer.issuer:
            raise SignInRefusedError("The answer does not say from which provider it comes.")
        tokens = self._tokens(document, answer.code, pending.verifier, redirect_uri)
        token: Json = tokens.get("id_token")
        if not isinstance(token, str):
            raise ProviderError("The provider's answer has no identity token.")
        claims = self._checked(token)
        check_claims(claims, self._client.client_id, pending.nonce)
        return {**_user_info(document, tokens, claims["sub"]), **claims}

    def _tokens(self, document: JsonObject, code: str, verifier: str, redirect_uri: str) -> JsonObject:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
        client, secret = self._client.client_id, self._client.secret
        if secret is not None and _takes_basic(document):
            pair = f"{quote_plus(client)}:{quote_plus(secret)}".encode()
            headers["authorization"] = f"Basic {b64encode(pair).decode()}"
        else:
            fields |= {"client_id": client} | ({} if secret is None else {"client_secret": secret})
        response = _send("POST", document["token_endpoint"], headers, urlencode(fields).encode())
        if response.status in _REFUSALS:
            raise _refusal(_object_of(response, *_REFUSALS).get("error"))
        return _object_of(response)

    def _checked(self, token: str) -> JsonObject:
        """The claims of a token that the provider signed for this server, and that has not expired."""
        import jwt

        try:
            key = self._key(jwt.get_unverified_header(token).get("kid"))
            return jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self._client.client_id,
                issuer=self._client.issuer,
                leeway=_CLOCKS_DIFFER,
                options={"require": [*_REQUIRED]},
            )
        except jwt.PyJWTError as error:
            raise SignInRefusedError(f"The provider's token is not valid: {type(error).__name__}.") from None

    def _key(self, id_: str | None) -> "PyJWK":
        """The provider's key of this id, or its only one; the keys are read again if it is unknown."""
        for description in (self._described(), None):
            keys = (description or self._read()).keys
            if id_ in keys:
                return keys[id_]
            if id_ is None and len(keys) == 1:
                return next(iter(keys.values()))
        raise SignInRefusedError("The provider's token is signed with an unknown key.")

    def _described(self) -> _Description:
        """The description, read again after an hour."""
        known = self._description
        if known is not None and self._monotonic() - known.read_at < _KEPT_FOR:
            return known
        if self._failure is not None and self._monotonic() - self._failure[0] < _ASKED_AGAIN_AFTER:
            raise self._failure[1]
        try:
            return self._read()
        except ProviderError as error:
            self._failure = self._monotonic(), error
            raise

    def _read(self) -> _Description:
        document = _get(self._client.issuer.rstrip("/") + _DISCOVERY)
        if document.get("issuer") != self._client.issuer:
            raise ProviderError(
                "The provider calls itself by another name than the one in the settings.",
                next_step="Set server.oidc_issuer to the `issuer` of its discovery document, exactly as it is there.",
            )
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not is_safe_address(document.get(name)):
                raise ProviderError(f"The {name} in the provider's discovery document is not an https address.")
        self._description = _Description(document, _keys(_get(document["jwks_uri"])), self._monotonic())
        return self._description


def _user_info(document: JsonObject, tokens: JsonObject, subject: str) -> JsonObject:
    """More claims about the same person, if the provider has a place for them: many leave the e-mail address there."""
    endpoint, token = document.get("userinfo_endpoint"), tokens.get("access_token")
    if not is_safe_address(endpoint) or not isinstance(token, str):
        return {}
    headers = {"accept": "application/json", "authorization": f"Bearer {token}"}
    found = _object_of(_send("GET", endpoint, headers, None))
    if found.get("sub") != subject:  # Core 5.3.2
        raise SignInRefusedError("The provider's claims are about somebody else.")
    return found


def _keys(document: JsonObject) -> "Mapping[str | None, PyJWK]":
    import jwt

    try:
        found = jwt.PyJWKSet.from_dict(document).keys
    except (jwt.PyJWTError, AttributeError, TypeError, ValueError):
        raise ProviderError("The keys of the provider cannot be used.") from None
    return {each.key_id: each for each in found if each.public_key_use in (None, "sig")}


def _takes_basic(document: JsonObject) -> bool:
    """Whether a client's secret goes into the header, which is the default (Discovery 1.0, 3)."""
    methods: Json = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return isinstance(methods, list) and "client_secret_basic" in methods


def _get(address: str) -> JsonObject:
    return _object_of(_send("GET", address, {"accept": "application/json"}, None))


def _send(method: str, address: str, headers: dict[str, str], body: bytes | None) -> HttpResponse:
    """Send a request to the provider, which the settings name, so it may be in a private network."""
    try:
        url = url_of(address)
        sender = HttpSender(resolve_host, True, _SECONDS, _MAX_BYTES, client_context(url.scheme, {}, None))
        with sender.open_client() as client:
            return sender.send(client, HttpRequest(method, url, headers, body, has_credentials=True))
    except OperationError as error:
        raise ProviderError(f"The OpenID provider cannot be asked: {error.message}.") from None


def _refusal(code: Json) -> SignInRefusedError | ProviderError:
    """What an error of the token endpoint means: it is about the code, or about this server."""
    if code == "invalid_grant":
        return SignInRefusedError("The provider does not accept the code; it may have been used already.")
    shown = code if code in _CODES else "for a reason of its own"
    return ProviderError(
        f"The OpenID provider refuses this server: {shown}.",
        next_step="Compare server.oidc_client_id and the client's secret with what is registered at the provider.",
    )


def _object_of(response: HttpResponse, *statuses: int) -> JsonObject:
    if response.status not in (statuses or (_OK,)):
        raise ProviderError(f"The OpenID provider answers with status {response.status}.")
    try:
        found = parse_strict(response.content.decode())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ProviderError("The OpenID provider answers with something other than a JSON object.")
    return cast(JsonObject, found)
