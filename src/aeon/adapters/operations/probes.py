"""Finds out whether services answer: a connection, a request without credentials, a program that is there."""

import shutil
import socket
from urllib.parse import urlsplit

import httpx2

from aeon.base.json import JsonObject

_SECONDS = 5.0
_FIRST_SERVER_ERROR = 500
_OWN = "aeon:"
"""What is part of Aeon itself: it answers, or nobody would be asking."""
_PORTS = {"bolt": 7687, "bolt+s": 7687}


class HttpProbe:
    """Any answer that is no server error will do: who may ask what is for the tools to find out."""

    def problem(self, protocol: str, connection: JsonObject) -> str | None:
        endpoint = str(connection.get("endpoint", ""))
        if endpoint.startswith(_OWN):
            return None
        if urlsplit(endpoint).scheme != protocol:
            return f"its endpoint is no {protocol} address"
        try:
            with httpx2.Client(timeout=_SECONDS, trust_env=False) as client, client.stream("GET", endpoint) as answer:
                status = answer.status_code
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return f"it cannot be reached ({type(error).__name__})"
        return f"it answers {status}" if status >= _FIRST_SERVER_ERROR else None


class SocketProbe:
    """Whether somebody listens; for graphs, which are asked nothing without credentials."""

    def problem(self, protocol: str, connection: JsonObject) -> str | None:
        endpoint = str(connection.get("endpoint", ""))
        if endpoint.startswith(_OWN):
            return None
        parts = urlsplit(endpoint)
        try:
            with socket.create_connection((parts.hostname or "", parts.port or _PORTS[protocol]), _SECONDS):
                return None
        except (OSError, ValueError) as error:
            return f"it cannot be reached ({type(error).__name__})"


class McpProbe:
    """A program that is there, or an address that answers."""

    def problem(self, protocol: str, connection: JsonObject) -> str | None:
        if protocol != "stdio":
            return HttpProbe().problem(urlsplit(str(connection.get("endpoint", ""))).scheme or "http", connection)
        command = str(connection.get("command", ""))
        return None if shutil.which(command) else f"there is no program {command!r}"
