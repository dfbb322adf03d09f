"""A FalkorDB server by its address."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from aeon.adapters.graph.falkordb.failures import failure
from aeon.adapters.graph.falkordb.link import EngineComplaintError, Link, pool_of
from aeon.adapters.graph.falkordb.session import NO_LIMIT_MS
from aeon.adapters.graph.falkordb.store import FalkorGraph
from aeon.base.errors import ConfigError

_PORT = 6379
_SECONDS = 10.0
_ADVICE = "Give falkordb://host:port; the password comes from a secret, never with the address."


def open_server(address: str, password: Callable[[], str] | None = None, *, user: str = "") -> FalkorGraph:
    """The graph of a server, `falkordb://host:port`; `password` is asked at every new connection and kept nowhere.

    Raises ConfigError for another address, and GraphUnavailableError when the server does not answer or let us in.
    """
    host, port = _parsed(address)
    where = f"FalkorDB server at {host}:{port}"
    credentials = {"credential_provider": _Credentials(password, user)} if password else {}
    link = Link(pool_of("Connection", host=host, port=port, **credentials), where, lambda: None)
    try:
        return FalkorGraph(link, where, most_ms=_most_ms(link))
    except BaseException:
        link.close()
        raise


class _Credentials:
    """What the client asks for a password (its CredentialProvider)."""

    def __init__(self, password: Callable[[], str], user: str) -> None:
        self._password = password
        self._user = user

    def get_credentials(self) -> tuple[str, ...]:
        return (self._user, self._password()) if self._user else (self._password(),)


def _parsed(address: str) -> tuple[str, int]:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ConfigError("The graph's address has no valid port.", next_step=_ADVICE) from None
    if parts.username is not None or parts.password is not None:
        raise ConfigError("The graph's address holds a user or a password.", next_step=_ADVICE)
    if parts.scheme != "falkordb" or not host or parts.path.strip("/") or parts.query or parts.fragment:
        raise ConfigError(f"{address!r} is not the address of a FalkorDB server.", next_step=_ADVICE)
    return host, port or _PORT


def _most_ms(link: Link) -> int:
    """The longest time that the server allows a query.

    A server with no limit at all heeds no time given to a write; one of weeks changes nothing else for its other users.
    """
    most, usual = (_setting(link, name) for name in ("TIMEOUT_MAX", "TIMEOUT_DEFAULT"))
    if most or usual:
        return most or NO_LIMIT_MS
    with suppress(EngineComplaintError):  # not ours to set: an overdue write is then one that may have happened
        link.ask("GRAPH.CONFIG", "SET", "TIMEOUT_MAX", NO_LIMIT_MS, timeout=_SECONDS)
    return NO_LIMIT_MS


def _setting(link: Link, name: str) -> int:
    try:
        reply: Any = link.ask("GRAPH.CONFIG", "GET", name, timeout=_SECONDS)
    except EngineComplaintError as complaint:
        raise failure(str(complaint)) from None
    return int(reply[1])
