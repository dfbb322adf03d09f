"""Parses the addresses of graph servers."""

from typing import Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from aeon.base.errors import ConfigError

NEO4J_ADVICE: Final = (
    "Give bolt://user@host:port/database, or bolt+s for TLS, and name the password's variable in password_env."
)
FALKORDB_ADVICE: Final = "Give falkordb://user@host:port, and name the password's variable in password_env."


class GraphServerAddress(NamedTuple):
    """The location of a server, the user and the database."""

    scheme: str
    host: str
    port: int
    user: str
    database: str

    @property
    def host_and_port(self) -> str:
        """The host and port as in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def neo4j_address(address: str, port: int) -> GraphServerAddress:
    """Parses `bolt[+s]://user@host:port/database`; user and database default to `neo4j`.

    Raises ConfigError, which never shows a password.
    """
    parts, host, given_port = _parts(address, NEO4J_ADVICE)
    database = parts.path.strip("/")
    if parts.scheme not in ("bolt", "bolt+s") or not host or "/" in database:
        raise ConfigError(f"{address!r} is not the address of a Neo4j server.", next_step=NEO4J_ADVICE)
    return GraphServerAddress(
        parts.scheme, host, given_port or port, unquote(parts.username or "neo4j"), database or "neo4j"
    )


def falkordb_address(address: str, port: int) -> GraphServerAddress:
    """Parses `falkordb://user@host:port`; the user defaults to empty, the graph is `aeon`.

    Raises ConfigError, which never shows a password.
    """
    parts, host, given_port = _parts(address, FALKORDB_ADVICE)
    if parts.scheme != "falkordb" or not host or parts.path.strip("/"):
        raise ConfigError(f"{address!r} is not the address of a FalkorDB server.", next_step=FALKORDB_ADVICE)
    return GraphServerAddress(parts.scheme, host, given_port or port, unquote(parts.username or ""), "aeon")


def _parts(address: str, advice: str) -> tuple[SplitResult, str | None, int | None]:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ConfigError("The graph's address has no valid port.", next_step=advice) from None
    if parts.password is not None:
        raise ConfigError("The graph's address contains a password.", next_step=advice)
    if parts.query or parts.fragment:
        raise ConfigError(f"{address!r} is not the address of a graph server.", next_step=advice)
    return parts, host, port
