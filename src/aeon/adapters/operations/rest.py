"""Executes HTTP requests, with checked addresses and redirects, and limits on size and time."""

import json
import time
from base64 import b64encode
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple, cast
from urllib.parse import urlencode

import httpx2

from aeon.adapters.operations.host_addresses import HostResolver, resolve_host
from aeon.adapters.operations.http_client import HttpRequest, HttpResponse, HttpSender, url_of
from aeon.adapters.operations.http_responses import output_of
from aeon.adapters.operations.pages import items_of, next_request
from aeon.adapters.operations.placeholders import fill, fill_path, fill_text, is_left_out, without_nulls
from aeon.adapters.operations.queries import query_pairs
from aeon.adapters.operations.redirects import follow_redirect
from aeon.adapters.operations.tls import client_context, is_certificate, require_tls
from aeon.base.json import Json, JsonObject, json_digest
from aeon.platform.catalog.operations import Pagination, RestRequest
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult

_MAX_REDIRECTS = 5
_KEY_DIGITS = 16
"""Digits of the digest of the arguments in an idempotency key."""
_FEWER_PAGES = "Lower maxPages in the pagination of the tool's operation, or raise its timeout and maxBytes."
_OTHER_PAGINATION = "The service does not heed the page: correct the pagination of the tool's operation, or remove it."


class RestExecutor:
    """Executes `rest_request`: the output is `{"status", "contentType", "body"}`, see `http_responses.output_of`.

    With pagination, `body` has the items of all pages, `pages` is their number, and `isComplete` says whether the list
    ended within the operation's `maxPages`. Its limits of size and time hold for all pages together.
    """

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
            if operation.pagination is not None:
                pages = _Pages(sender, work, operation.pagination)
                return OperationResult(pages.collect(client, request, operation.keep_headers))
            _, answer = _send(sender, client, request)
            return OperationResult(output_of(answer, operation.keep_headers))


def _send(sender: HttpSender, client: httpx2.Client, request: HttpRequest) -> tuple[HttpRequest, HttpResponse]:
    """Return the response, and the request that got it after redirects. Raises OperationError."""
    for _ in range(_MAX_REDIRECTS + 1):
        answer = sender.send(client, request)
        if answer.status not in (301, 302, 303, 307, 308) or "location" not in answer.headers:
            return request, answer
        request = follow_redirect(request, answer.headers["location"], answer.status)
    raise OperationError(f"it was redirected more than {_MAX_REDIRECTS} times")


class _Pages:
    """Collects the items of the pages of one call, within the limits of `sender` for all of them together."""

    def __init__(self, sender: HttpSender, work: OperationRequest, pagination: Pagination) -> None:
        self._sender = sender
        self._work = work
        self._pagination = pagination
        self._ends_at = time.monotonic() + sender.seconds
        self._size = 0
        self._pages: list[list[Json]] = []

    def collect(self, client: httpx2.Client, request: HttpRequest, keep_headers: Sequence[str]) -> JsonObject:
        """Return the output of the last page with the items of all. Raises OperationError, then without any item."""
        output: JsonObject = {}
        following: HttpRequest | None = request
        while following is not None and len(self._pages) < self._pagination.max_pages:
            with self._naming_page():
                sent, answer = self._send(client, following)
                output = output_of(answer, keep_headers)
                self._add(output["body"])
                following = next_request(sent, answer, output["body"], self._pagination)
        items = [item for page in self._pages for item in page]
        return {**output, "body": items, "pages": len(self._pages), "isComplete": following is None}

    def _send(self, client: httpx2.Client, request: HttpRequest) -> tuple[HttpRequest, HttpResponse]:
        if self._pages:
            self._work.await_turn(self._seconds_left())
        seconds = self._seconds_left()
        if seconds <= 0:
            raise OperationError(f"all pages together took {self._sender.seconds:g} s", next_step=_FEWER_PAGES)
        sent, answer = _send(replace(self._sender, seconds=seconds), client, request)
        self._size += len(answer.content)
        if self._size > self._sender.max_bytes:
            limit = f"{self._sender.max_bytes:,} bytes"
            raise OperationError(f"all pages together are longer than {limit}", next_step=_FEWER_PAGES)
        return sent, answer

    def _add(self, body: Json) -> None:
        found = items_of(body, self._pagination)
        if found and self._pages and found == self._pages[-1]:
            raise OperationError("it is the same as the page before", next_step=_OTHER_PAGINATION)
        self._pages.append(found)

    def _seconds_left(self) -> float:
        return self._ends_at - time.monotonic()

    @contextmanager
    def _naming_page(self) -> Generator[None]:
        """Name the page in an error, except the first: without pagination, it would fail in the same way."""
        number = len(self._pages) + 1
        try:
            yield
        except OperationError as error:
            if number == 1:
                raise
            raise OperationError(
                f"page {number}: {error.message}",
                next_step=error.next,
                is_transient=error.is_transient,
                is_unauthorized=error.is_unauthorized,
                retry_after=error.retry_after,
            ) from None


def _request(operation: RestRequest, work: OperationRequest) -> HttpRequest:
    path = fill_path(operation.path, work.arguments)
    base = url_of(str(work.connection["endpoint"]))
    if base.scheme != work.protocol or not base.host:
        raise OperationError(f"the endpoint must be an address that begins with {work.protocol}://")
    given = without_nulls(work.arguments)
    query = cast(JsonObject, fill(dict(operation.query), given))
    pairs = query_pairs(query, operation.query_styles)
    url = base.copy_with(path=base.path.rstrip("/") + path).copy_merge_params(tuple(pairs))
    headers = {
        name.lower(): fill_text(value, given)
        for name, value in operation.headers.items()
        if not is_left_out(value, given)
    }
    if work.call_key is not None:
        headers.setdefault("idempotency-key", _idempotency_key(work.call_key, work.arguments))
    body = fill(operation.body, given if operation.body_format == "form" else work.arguments)
    content = _encoded_body(body, operation, headers)
    credentials = _credentials(work)
    has_credentials = work.secret is not None or bool(url.userinfo)
    sent = {**headers, **credentials.headers}
    return HttpRequest(operation.method, url, sent, content, credentials.query, has_credentials, work.confirm)


def _idempotency_key(call_key: str, arguments: JsonObject) -> str:
    """Return the key of a call: all attempts at a step with the same arguments have the same one.

    A service may have done what an attempt that timed out asked for. Other arguments are another call: a run makes one
    in the same place after its record was restored.
    """
    return f"{call_key}:{json_digest(arguments)[:_KEY_DIGITS]}"


def _encoded_body(body: Json, operation: RestRequest, headers: dict[str, str]) -> bytes | None:
    """Return the bytes of a body, None without one; adds the content type to `headers` unless they have one."""
    if body is None:
        return None
    if operation.body_format == "form" and isinstance(body, dict):
        headers.setdefault("content-type", "application/x-www-form-urlencoded")
        fields = cast(JsonObject, body)
        return urlencode(query_pairs(fields, dict.fromkeys(fields, "repeat"))).encode()
    if isinstance(body, str) and operation.body_format == "auto":
        return body.encode()
    headers.setdefault("content-type", "application/json")
    return json.dumps(body).encode()


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
