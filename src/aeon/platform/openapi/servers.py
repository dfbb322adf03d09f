"""Finds the address to which the requests of an operation go."""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from aeon.platform.openapi.document import DocumentPart, UnsupportedError

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_ROOT: Final = "/"
"""The server of a document that names none."""


class NoHostError(UnsupportedError):
    """A server is relative to the address of the document, which is not from the web."""


def endpoint_of(servers: DocumentPart, address: str | None) -> str:
    """The first of some servers, as an address that begins with http:// or https://.

    `address` is that of the document; a server's may be relative to it. Raises NoHostError, UnsupportedError.
    """
    first = next(servers.items(), None)
    url = _ROOT if first is None else _with_defaults(first)
    pointer = servers.pointer if first is None else first.pointer
    if ":" not in url and address is None:
        raise NoHostError(pointer, f"the address of the server is {url!r}, without a host")
    try:
        return checked_endpoint(urljoin(address or "", url), pointer)
    except ValueError:  # brackets of an IPv6 address
        raise UnsupportedError(pointer, f"{url[:200]!r} is not an address") from None


def checked_endpoint(url: str, pointer: str) -> str:
    """An address to which requests can go, without a slash at its end. Raises UnsupportedError."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UnsupportedError(pointer, f"{url[:200]!r} is not an address") from None
    if not is_usable or not url.isprintable() or " " in url:
        raise UnsupportedError(pointer, f"{url[:200]!r} is not an address that begins with http:// or https://")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UnsupportedError(pointer, "the address of the server has a password, a query or a fragment")
    return url.rstrip("/")


def _with_defaults(server: DocumentPart) -> str:
    """The URL of a server with the defaults of its variables."""

    def default(match: re.Match[str]) -> str:
        value = server.inner("variables").inner(match[1]).inner("default")
        if not isinstance(value.value, str | int):
            raise UnsupportedError(value.pointer, f"the server's variable {match[1]!r} has no default")
        return str(value.value)

    return _VARIABLE.sub(default, server.inner("url").text())
