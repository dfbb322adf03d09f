"""Executes HTTP requests, with checked addresses and redirects, and limits on size and time."""

import json
from base64 import b64encode
from typing import NamedTuple, cast

import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, resolve_host
from aeon.adapters.operations.http_client import HttpRequest, HttpSender, url_of
from aeon.adapters.operations.http_responses import output_of
from aeon.adapters.operations.placeholders import fill, fill_path, fill_text
from aeon.adapters.operations.tls import client_context, is_certificate, require_tls
from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import RestRequest
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult

_MAX_REDIRECTS = 5


class RestExecutor:
    """Executes `rest_request`: the output is `{"status", "contentType", "body"}`, see `http_responses.output_of`."""

    def __init__(self, resolve: HostResolver = resolve_host) -> None:
        self._resolve = resolve

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(RestRequest, work.operation)
        request = _request(operation, work)
        require_tls(request.url.scheme, work.secret)
        sender = HttpSender(
            self._resolve,
            operation.allow_private,
            operation.timeout,
            operation.max_bytes,
            client_context(request.url.scheme, work.connection, work.secret),
            operation.allow_insecure,
        )
        with sender.open_client() as client:
            for _ in range(_MAX_REDIRECTS + 1):
                answer = sender.send(client, request)
                if answer.status not in (301, 302, 303, 307, 308) or "location" not in answer.headers:
                    return OperationResult(output_of(answer, operation.keep_headers))
                request = _follow_redirect(request, answer.headers["location"], answer.status)
        raise OperationError(f"it was redirected more than {_MAX_REDIRECTS} times")


def _request(operation: RestRequest, work: OperationRequest) -> HttpRequest:
    try:
        path = fill_path(operation.path, work.arguments)
    except ValueError as error:
        raise OperationError(str(error)) from None
    base = url_of(str(work.connection["endpoint"]))
    if base.scheme != work.protocol or not base.host:
        raise OperationError(f"the endpoint must be an address that begins with {work.protocol}://")
    query = cast(JsonObject, fill(dict(operation.query), work.arguments))
    url = base.copy_with(path=base.path.rstrip("/") + path).copy_merge_params(
        {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    )
    headers = {name.lower(): fill_text(value, work.arguments) for name, value in operation.headers.items()}
    if work.key is not None:
        headers.setdefault("idempotency-key", work.key)
    body = None if operation.body is None else fill(operation.body, work.arguments)
    if body is not None and not isinstance(body, str):
        headers.setdefault("content-type", "application/json")
        body = json.dumps(body)
    credentials = _credentials(work)
    has_credentials = work.secret is not None or bool(url.userinfo)
    content = body.encode() if body is not None else None
    sent = {**headers, **credentials.headers}
    return HttpRequest(operation.method, url, sent, content, credentials.query, has_credentials, work.confirm)


class _Credentials(NamedTuple):
    """The headers and query parameters that carry the secret."""

    headers: dict[str, str]
    query: dict[str, str]


def _credentials(work: OperationRequest) -> _Credentials:
    """Return the secret's header by its type, or the place in `authHeader`, `authPrefix` or `authQuery`."""
    if work.secret is None or is_certificate(work.secret):
        return _Credentials({}, {})
    value, parameter = work.secret.reveal(), work.connection.get("authQuery")
    if "username" in value:
        pair = f"{value['username']}:{value['password']}".encode()
        return _Credentials({"authorization": f"Basic {b64encode(pair).decode()}"}, {})
    token = value.get("key") or value.get("access_token")
    if token is None:
        raise OperationError("a secret of this type cannot be sent to an HTTP service")
    if parameter is not None:
        return _Credentials({}, {str(parameter): str(token)})
    header = str(work.connection.get("authHeader", "authorization")).lower()
    prefix = work.connection.get("authPrefix", "Bearer " if header == "authorization" else "")
    return _Credentials({header: f"{prefix}{token}"}, {})


def _follow_redirect(request: HttpRequest, location: str, status: int) -> HttpRequest:
    """Return the redirected request. Raises OperationError for another host, or a request that is not GET or HEAD."""
    try:
        url = request.url.join(location)
    except httpx2.InvalidURL:
        raise OperationError("it was redirected to an invalid address") from None
    if url.scheme not in ("http", "https") or (request.url.scheme == "https" and url.scheme == "http"):
        raise OperationError(f"it was redirected to a {url.scheme} address")
    for name in request.secret_query:  # they are added again on the wire, and must not be logged
        url = url.copy_remove_param(name)
    is_same_host = (url.scheme, url.host, url.port) == (request.url.scheme, request.url.host, request.url.port)
    if not is_same_host:
        raise OperationError(
            f"it was redirected to another host, {url.host}", next_step="Use that host in the endpoint."
        )
    if status == 303 or request.method in ("GET", "HEAD"):  # noqa: PLR2004  # See Other
        return request._replace(url=url, method="HEAD" if request.method == "HEAD" else "GET", body=None)
    raise OperationError(f"a {request.method} request was redirected")
