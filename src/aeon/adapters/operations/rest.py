"""Requests to HTTP services: addresses checked, redirects too, sizes and times limited, the secret in its one place."""

import json
from base64 import b64encode
from typing import NamedTuple, cast

import httpx2

from aeon.adapters.operations.addresses import Resolve, allowed_address, resolved
from aeon.adapters.operations.filling import filled, path_filled, text_filled
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.catalog.calling import OperationError, Work
from aeon.platform.catalog.operations import RestRequest

_MOST_REDIRECTS = 5
_FIRST_ERROR, _FIRST_SERVER_ERROR = 400, 500
_TOO_MANY = 429
_SHOWN = 300
"""Characters of an error's answer that are repeated."""


class _Asked(NamedTuple):
    method: str
    url: httpx2.URL
    headers: dict[str, str]
    body: bytes | None


class RestExecutor:
    """Carries out `rest_request`: the output is `{"status", "contentType", "body"}`, the body as JSON or text."""

    def __init__(self, resolve: Resolve = resolved) -> None:
        self._resolve = resolve

    def execute(self, work: Work) -> Json:
        operation = cast(RestRequest, work.operation)
        asked = _asked(operation, work)
        with httpx2.Client(timeout=operation.timeout, trust_env=False, follow_redirects=False) as client:
            for _ in range(_MOST_REDIRECTS + 1):
                status, headers, content = self._exchange(client, asked, operation)
                if status not in (301, 302, 303, 307, 308) or "location" not in headers:
                    return _result(status, headers, content)
                asked = _redirected(asked, headers["location"], status)
        raise OperationError(f"it was redirected more than {_MOST_REDIRECTS} times")

    def _exchange(
        self, client: httpx2.Client, asked: _Asked, operation: RestRequest
    ) -> tuple[int, httpx2.Headers, bytes]:
        """One request to the address that was checked, under the host's own name."""
        url = asked.url
        port = url.port or (443 if url.scheme == "https" else 80)
        address = allowed_address(url.host, port, self._resolve, allow_private=operation.allow_private)
        request = client.build_request(
            asked.method,
            url.copy_with(host=address),
            headers={**asked.headers, "host": url.netloc.decode()},
            content=asked.body,
            extensions={"sni_hostname": url.host},
        )
        try:
            response = client.send(request, stream=True)
            try:
                return response.status_code, response.headers, _limited(response, operation.max_bytes)
            finally:
                response.close()
        except httpx2.TimeoutException:
            raise OperationError(f"no answer within {operation.timeout:g} s", is_transient=True) from None
        except httpx2.HTTPError as error:
            raise OperationError(f"it could not be asked: {type(error).__name__}", is_transient=True) from None


def _asked(operation: RestRequest, work: Work) -> _Asked:
    try:
        path = path_filled(operation.path, work.given)
    except ValueError as error:
        raise OperationError(str(error)) from None
    base = httpx2.URL(str(work.connection["endpoint"]))
    if base.scheme != work.protocol or not base.host:
        raise OperationError(f"the endpoint must be an address that begins with {work.protocol}://")
    query = cast(JsonObject, filled(dict(operation.query), work.given))
    url = base.copy_with(path=base.path.rstrip("/") + path).copy_merge_params(
        {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    )
    headers = {name.lower(): text_filled(value, work.given) for name, value in operation.headers.items()}
    body = None if operation.body is None else filled(operation.body, work.given)
    if body is not None and not isinstance(body, str):
        headers.setdefault("content-type", "application/json")
        body = json.dumps(body)
    return _Asked(operation.method, url, {**headers, **_credentials(work)}, body.encode() if body is not None else None)


def _credentials(work: Work) -> dict[str, str]:
    """The secret's header, by its type; `authHeader` and `authPrefix` of the connection say another place."""
    if work.secret is None:
        return {}
    value = work.secret.reveal()
    if "username" in value:
        pair = f"{value['username']}:{value['password']}".encode()
        return {"authorization": f"Basic {b64encode(pair).decode()}"}
    token = value.get("key") or value.get("access_token")
    if token is None:
        raise OperationError("a secret of this type cannot be sent to an HTTP service")
    header = str(work.connection.get("authHeader", "authorization")).lower()
    prefix = work.connection.get("authPrefix", "Bearer " if header == "authorization" else "")
    return {header: f"{prefix}{token}"}


def _redirected(asked: _Asked, location: str, status: int) -> _Asked:
    """Where a redirect leads. A changing request is not sent twice, and credentials stay with their host."""
    url = asked.url.join(location)
    if url.scheme not in ("http", "https") or (asked.url.scheme == "https" and url.scheme == "http"):
        raise OperationError(f"it was redirected to a {url.scheme} address")
    is_same_host = (url.scheme, url.host, url.port) == (asked.url.scheme, asked.url.host, asked.url.port)
    if not is_same_host:
        raise OperationError(
            f"it was redirected to another host, {url.host}", next_step="Name that one in the endpoint."
        )
    if status == 303 or asked.method in ("GET", "HEAD"):  # noqa: PLR2004  # See Other
        return asked._replace(url=url, method="HEAD" if asked.method == "HEAD" else "GET", body=None)
    raise OperationError(f"a {asked.method} request was redirected")


def _limited(response: httpx2.Response, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        size += len(part)
        if size > most:
            raise OperationError(f"the answer is longer than {most:,} bytes")
        parts.append(part)
    return b"".join(parts)


def _result(status: int, headers: httpx2.Headers, content: bytes) -> JsonObject:
    text = content.decode(errors="replace")
    if status >= _FIRST_ERROR:
        said = " ".join(text.split())[:_SHOWN]
        is_transient = status >= _FIRST_SERVER_ERROR or status == _TOO_MANY
        raise OperationError(f"it answered {status}{': ' + said if said else ''}", is_transient=is_transient)
    kind = headers.get("content-type", "")
    body: Json = text
    if "json" in kind and text.strip():
        try:
            body = parse_strict(text)
        except ValueError as error:
            raise OperationError(f"it answered with what is no JSON: {error}") from None
    return {"status": status, "contentType": kind, "body": body}
