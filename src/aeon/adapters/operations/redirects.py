"""Where a response may lead: to the same host, over a protocol that is as safe."""

import httpx2

from aeon.adapters.operations.http_client import HttpRequest
from aeon.platform.catalog.operations import OperationError

_SEE_OTHER = 303


def follow_redirect(request: HttpRequest, location: str, status: int) -> HttpRequest:
    """Return the redirected request. Raises OperationError for another host, or a request that is not GET or HEAD."""
    url = same_host_url(request, location, "it was redirected")
    if status == _SEE_OTHER or request.method in ("GET", "HEAD"):
        return request._replace(url=url, method="HEAD" if request.method == "HEAD" else "GET", body=None)
    raise OperationError(f"a {request.method} request was redirected")


def same_host_url(request: HttpRequest, address: str, what: str) -> httpx2.URL:
    """Return the URL at an address from a response, relative to the request's; `what` begins an error's message.

    Raises OperationError for another host, port or protocol.
    """
    try:
        url = request.url.join(address)
    except httpx2.InvalidURL:
        raise OperationError(f"{what} to an invalid address") from None
    if url.scheme not in ("http", "https") or (request.url.scheme == "https" and url.scheme == "http"):
        raise OperationError(f"{what} to a {url.scheme} address")
    for name in request.secret_query:  # they are added again on the wire, and must not be logged
        url = url.copy_remove_param(name)
    if url.host != request.url.host:
        raise OperationError(f"{what} to another host, {url.host}", next_step="Use that host in the endpoint.")
    if (url.scheme, url.port) != (request.url.scheme, request.url.port):
        origin = f"{url.scheme}://{url.netloc.decode()}"
        raise OperationError(f"{what} to another address, {origin}", next_step="Use that address in the endpoint.")
    return url
