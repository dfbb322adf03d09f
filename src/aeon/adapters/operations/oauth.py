"""Gets OAuth tokens from an authorization server (RFC 6749, sections 2.3.1, 4.4, 5.2 and 6)."""

from base64 import b64encode
from typing import cast
from urllib.parse import quote_plus, urlencode

import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, resolve_host
from aeon.adapters.operations.http_client import HttpRequest, HttpResponse, HttpSender, url_of
from aeon.adapters.operations.tls import client_context
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.catalog.oauth_tokens import CLIENT_CREDENTIALS, TokenRefusedError, is_of_client
from aeon.platform.catalog.operations import OperationError

_SECONDS = 20.0
_MAX_BYTES = 256 * 1024
_FIRST_SERVER_ERROR, _TOO_MANY = 500, 429
_REFUSALS = (400, 401, 403)
_CODES = (
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
)
"""The error codes that are repeated; other text is not, since it may quote a token."""


class HttpTokenServer:
    """A `TokenServer` over HTTP.

    A client's secret goes in the header, as section 2.3.1 prefers and every server must support. If the server answers
    `invalid_client`, the secret is sent once more in the body, since some servers need that; a refused request has not
    used up the refresh token.
    """

    def __init__(self, resolve: HostResolver = resolve_host) -> None:
        self._resolve = resolve

    def refresh(self, value: JsonObject, *, allow_private: bool) -> JsonObject:
        try:
            verify = client_context(url_of(str(value["token_url"])).scheme, {}, None)
            sender = HttpSender(self._resolve, allow_private, _SECONDS, _MAX_BYTES, verify)
            with sender.open_client() as client:
                response = sender.send(client, _refresh_request(value, in_body=False))
                if value.get("client_secret") and _code(response) == "invalid_client":
                    response = sender.send(client, _refresh_request(value, in_body=True))
        except OperationError as error:
            raise OperationError(
                f"no token came from its server: {error.message}",
                next_step=error.advice,
                is_transient=error.is_transient,
            ) from None
        return _token_of(response)


def _refresh_request(value: JsonObject, *, in_body: bool) -> HttpRequest:
    fields = _grant(value)
    headers = {"accept": "application/json", "content-type": "application/x-www-form-urlencoded"}
    client, secret = str(value["client_id"]), value.get("client_secret")
    if not secret or in_body:
        fields |= {"client_id": client} | ({"client_secret": secret} if secret else {})
    else:
        pair = f"{quote_plus(client)}:{quote_plus(str(secret))}".encode()
        headers["authorization"] = f"Basic {b64encode(pair).decode()}"
    return HttpRequest(
        "POST", url_of(str(value["token_url"])), headers, urlencode(fields).encode(), has_credentials=True
    )


def _grant(value: JsonObject) -> dict[str, str]:
    """Returns the fields of a request that say by what right a token is wanted."""
    if not is_of_client(value):
        return {"grant_type": "refresh_token", "refresh_token": str(value["refresh_token"])}
    wanted = {name: str(value[name]) for name in ("scope", "audience") if value.get(name)}
    return {"grant_type": CLIENT_CREDENTIALS, **wanted}


def _token_of(answer: HttpResponse) -> JsonObject:
    body = _parse(answer)
    if httpx2.codes.is_success(answer.status) and isinstance(body, dict) and "error" not in body:
        return cast(JsonObject, body)
    if answer.status >= _FIRST_SERVER_ERROR or answer.status == _TOO_MANY:
        raise OperationError(f"no token came from its server: it answered {answer.status}", is_transient=True)
    if answer.status in _REFUSALS or _code(answer):
        raise TokenRefusedError(f"its server gives no token ({_code(answer) or answer.status})")
    what = "something other than a JSON object" if httpx2.codes.is_success(answer.status) else str(answer.status)
    raise OperationError(
        f"no token came from its server: it answered with {what}",
        next_step="Correct the secret's token_url.",
    )


def _code(answer: HttpResponse) -> str:
    body = _parse(answer)
    code = cast(JsonObject, body).get("error") if isinstance(body, dict) else None
    return code if code in _CODES else ""


def _parse(answer: HttpResponse) -> Json:
    try:
        return parse_strict(answer.content.decode())
    except ValueError:
        return None
