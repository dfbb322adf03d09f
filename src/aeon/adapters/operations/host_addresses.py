"""Where a host name leads, looked up once and checked, so that what is connected to is what was allowed."""

import ipaddress
import socket
from collections.abc import Callable
from typing import TypeAlias

from aeon.platform.catalog.tool_calls import OperationError

_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""What a gateway from IPv6 to IPv4 passes on (RFC 6052)."""

_CONNECT_SECONDS = 3.0

HostResolver: TypeAlias = Callable[[str, int], list[str]]
"""The addresses of a host. Raises OSError."""


def resolve_host(host: str, port: int) -> list[str]:
    """By the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def allowed_addresses(host: str, port: int, resolve: HostResolver, *, allow_private: bool) -> list[str]:
    """The addresses of a host in the resolver's order, at least one, when every one of them may be asked.

    Raises OperationError for a host that leads into this machine or a private network, unless that is allowed.
    """
    try:
        addresses = resolve(host, port)
    except OSError as error:
        raise OperationError(f"the host {host!r} was not found: {error.strerror}", is_transient=True) from None
    except (UnicodeError, OverflowError):
        raise OperationError(f"{host!r} and {port} are no host and port that there can be") from None
    if not addresses:
        raise OperationError(f"the host {host!r} has no address", is_transient=True)
    refused = [address for address in addresses if not allow_private and not is_public(address)]
    if refused:
        raise OperationError(
            f"{host!r} leads to {refused[0]}, which is private",
            next_step="Set allowPrivate in the tool's operation (discover: --allow-private) if that is meant.",
        )
    return addresses


def refuse_readable_key(scheme: str, host: str, addresses: list[str]) -> None:
    """Raises OperationError where a key that goes there could be read on its way: over http to another machine."""
    if scheme == "http" and not all(map(_is_loopback, addresses)):
        raise OperationError(
            f"its key would go to {host!r} over plain http, where others can read it",
            next_step="Give an https endpoint, or set allowInsecure in the tool's operation "
            "(discover: --allow-insecure) if that is meant.",
        )


def first_listening_address(addresses: list[str], port: int) -> str:
    """The first of several addresses that takes a connection, for clients that are given one; else the first of all."""
    return next(
        (each for each in addresses if len(addresses) == 1 or connection_problem(each, port) is None), addresses[0]
    )


def connection_problem(address: str, port: int, seconds: float = _CONNECT_SECONDS) -> str | None:
    """Why no connection to the address can be made; None where one was made, and closed again."""
    try:
        with socket.create_connection((address, port), seconds):
            return None
    except (OSError, OverflowError, UnicodeError) as error:
        return type(error).__name__


def is_public(text: str) -> bool:
    """Whether an address is one of the whole internet's: no loopback, private network, link or group.

    Of an address that holds another, for IPv4 inside of IPv6, that one counts.
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
