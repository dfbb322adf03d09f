"""Where a host name leads, looked up once and checked, so that what is connected to is what was allowed."""

import ipaddress
import socket
from collections.abc import Callable
from typing import TypeAlias

from aeon.platform.catalog.calling import OperationError

Resolve: TypeAlias = Callable[[str, int], list[str]]
"""The addresses of a host. Raises OSError."""


def resolved(host: str, port: int) -> list[str]:
    """By the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def allowed_address(host: str, port: int, resolve: Resolve, *, allow_private: bool) -> str:
    """The first address of a host, when every one of them may be asked.

    Raises OperationError for a host that leads into this machine or a private network, unless that is allowed.
    """
    try:
        addresses = resolve(host, port)
    except OSError as error:
        raise OperationError(f"the host {host!r} was not found: {error.strerror}", is_transient=True) from None
    if not addresses:
        raise OperationError(f"the host {host!r} has no address", is_transient=True)
    refused = [address for address in addresses if not allow_private and not _is_public(address)]
    if refused:
        raise OperationError(
            f"{host!r} leads to {refused[0]}, which is private",
            next_step="Set allowPrivate in the tool's operation if that is meant.",
        )
    return addresses[0]


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    return (inner or address).is_global and not address.is_multicast
