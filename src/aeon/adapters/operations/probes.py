"""Probes whether services answer: by a connection, a request without credentials, or a program on the PATH.

A probe connects only where a call may: to a private address only if the operation allows it.
"""

import shutil
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aeon.adapters.operations.host_addresses import HostResolver, allowed_addresses, connection_problem, resolve_host
from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import OperationError

if TYPE_CHECKING:
    import ssl

    import httpx2

_SECONDS = 5.0
_FIRST_SERVER_ERROR = 500
_OWN = "aeon:"
"""The prefix of endpoints inside Aeon itself, which need no probe."""
_BOLT_PORT = 7687
_PORTS = {"falkordb": 6379}


class HttpProbe:
    """Probes an HTTP service: any response below 500 counts, since the request has no credentials."""

    def __init__(self, resolve: HostResolver = resolve_host) -> None:
        self._resolve = resolve

    def problem(self, protocol: str, connection: JsonObject, *, allow_private: bool) -> str | None:
        endpoint = str(connection.get("endpoint", ""))
        if endpoint.startswith(_OWN):
            return None
        import httpx2  # slow to load

        from aeon.adapters.operations.http_client import port_of
        from aeon.adapters.operations.tls import client_context

        try:
            url = httpx2.URL(endpoint)
        except httpx2.InvalidURL:
            return f"its endpoint is not a valid {protocol} address"
        if url.scheme != protocol or not url.host:
            return f"its endpoint is not a valid {protocol} address"
        try:
            addresses = allowed_addresses(url.host, port_of(url), self._resolve, allow_private=allow_private)
            verify = client_context(url.scheme, connection, None)
        except OperationError as error:
            return error.message
        return _answer_problem(url, addresses, verify)


class SocketProbe:
    """Probes a graph server by a connection: without credentials, no query is possible."""

    def __init__(self, resolve: HostResolver = resolve_host) -> None:
        self._resolve = resolve

    def problem(self, protocol: str, connection: JsonObject, *, allow_private: bool) -> str | None:
        endpoint = str(connection.get("endpoint", ""))
        if endpoint.startswith(_OWN):
            return None
        try:
            parts = urlsplit(endpoint)
            port = parts.port or _PORTS.get(parts.scheme, _BOLT_PORT)
        except ValueError:
            return f"its endpoint is not a valid {protocol} address"
        try:
            addresses = allowed_addresses(parts.hostname or "", port, self._resolve, allow_private=allow_private)
        except OperationError as error:
            return error.message
        return _connection_problem(addresses, port)


class McpProbe:
    """Probes an MCP server: its program on the PATH, or its HTTP address."""

    def problem(self, protocol: str, connection: JsonObject, *, allow_private: bool) -> str | None:
        if protocol != "stdio":
            is_secure = str(connection.get("endpoint", "")).startswith("https:")
            kind = "https" if is_secure else "http"
            return HttpProbe().problem(kind, connection, allow_private=allow_private)
        command = str(connection.get("command", ""))
        if command.startswith(_OWN):
            return None
        return None if shutil.which(command) else f"there is no program {command!r}"


def _answer_problem(url: "httpx2.URL", addresses: list[str], verify: "ssl.SSLContext") -> str | None:
    import httpx2

    from aeon.adapters.operations.http_client import HttpRequest, send_to_first
    from aeon.adapters.operations.tls import tls_fault

    try:
        with httpx2.Client(verify=verify, trust_env=False, follow_redirects=False) as client:
            response = send_to_first(client, HttpRequest("GET", url, {}, None), addresses, time.monotonic() + _SECONDS)
            response.close()
    except httpx2.HTTPError as error:
        fault = tls_fault(error)
        return f"it cannot be reached ({type(error).__name__})" if fault is None else fault.problem
    return f"it answers {response.status_code}" if response.status_code >= _FIRST_SERVER_ERROR else None


def _connection_problem(addresses: list[str], port: int) -> str | None:
    """Return None if one of the addresses accepts a connection, else the problem."""
    problem = ""
    for address in addresses:
        if (problem := connection_problem(address, port, _SECONDS)) is None:
            return None
    return f"it cannot be reached ({problem})"
