"""Resolves host names once and checks the addresses, so that clients connect only to what was checked."""

import ipaddress
import socket
from collections.abc import Callable
from typing import TypeAlias

from aeon.platform.catalog.tool_calls import OperationError

_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""The IPv6 addresses that a NAT64 gateway translates to IPv4 (RFC 6052)."""

_CONNECT_SECONDS = 3.0

HostResolver: TypeAlias = Callable[[str, int], list[str]]
"""Returns the addresses of a host. Raises OSError."""


def resolve_host(host: str, port: int) -> list[str]:
    """Return the addresses of a host from the system's resolver."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def allowed_addresses(host: str, port: int, resolve: HostResolver, *, allow_private: bool) -> list[str]:
    """Return the addresses of a host in the resolver's order, at least one, if all of them are allowed.

    Raises OperationError for a host that resolves to this machine or a private network, unless that is allowed.
    """
    try:
        addresses = resolve(host, port)
    except OSError as error:
        raise OperationError(f"the host {host!r} was not found: {error.strerror}", is_transient=True) from None
    except (UnicodeError, OverflowError):
        raise OperationError(f"{host!r} and {port} are not a valid host and port") from None
    if not addresses:
        raise OperationError(f"the host {host!r} has no address", is_transient=True)
    refused = [address for address in addresses if not allow_private and not is_public(address)]
    if refused:
        raise OperationError(
            f"{host!r} resolves to {refused[0]}, which is private",
            next_step="Set allowPrivate in the tool's operation (discover, import: --allow-private) "
            "if that is intended.",
        )
    return addresses


def refuse_readable_key(scheme: str, host: str, addresses: list[str]) -> None:
    """Raise OperationError if a key would go over plain http to another machine, where others can read it."""
    if scheme == "http" and not all(map(_is_loopback, addresses)):
        raise OperationError(
            f"its key would go to {host!r} over plain http, where others can read it",
            next_step="Give an https endpoint, or set allowInsecure in the tool's operation "
            "(discover, import: --allow-insecure) if that is intended.",
        )


def first_listening_address(addresses: list[str], port: int) -> str:
    """Return the first address that accepts a connection, for clients that take one address; else the first."""
    return next(
        (each for each in addresses if len(addresses) == 1 or connection_problem(each, port) is None), addresses[0]
    )


def connection_problem(address: str, port: int, seconds: float = _CONNECT_SECONDS) -> str | None:
    """Return why no connection to the address can be made; None if one was made (and closed)."""
    try:
        with socket.create_connection((address, port), seconds):
            return None
    except (OSError, OverflowError, UnicodeError) as error:
        return type(error).__name__


def is_public(text: str) -> bool:
    """Return whether an address is public: not loopback, private, link-local or multicast.

    For an IPv6 address that embeds an IPv4 address, the IPv4 address counts.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    return (_inner(address) or address).is_global and not address.is_multicast


def _is_loopback(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    return (_inner(address) or address).is_loopback


def _inner(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
