"""The address of a Neo4j server, taken apart."""

from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from aeon.base.errors import ConfigError

_PORT = 7687
_SCHEMES = frozenset({"bolt", "bolt+s"})
_ADVICE = "Give bolt://user@host:port/database, or bolt+s for TLS; the password comes from a secret, never with it."


class Address(NamedTuple):
    """Where a server is, who asks it, and for which database."""

    scheme: str
    host: str
    port: int
    user: str
    database: str

    @property
    def uri(self) -> str:
        """As the client wants it."""
        return f"{self.scheme}://{self._place}"

    @property
    def name(self) -> str:
        """As a person wants it, without credentials."""
        return f"Neo4j server at {self._place}, database {self.database}"

    @property
    def _place(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parsed(address: str) -> Address:
    """`bolt://user@host:port/database` or `bolt+s://...`; user and database are `neo4j` where none is named.

    Raises ConfigError, which never shows a password.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ConfigError("The graph's address has no valid port.", next_step=_ADVICE) from None
    if parts.password is not None:
        raise ConfigError("The graph's address holds a password.", next_step=_ADVICE)
    database = parts.path.strip("/")
    if not host or not _is_plain(parts, database):
        raise ConfigError(f"{address!r} is not the address of a Neo4j server.", next_step=_ADVICE)
    return Address(parts.scheme, host, port or _PORT, unquote(parts.username or "neo4j"), database or "neo4j")


def _is_plain(parts: SplitResult, database: str) -> bool:
    return parts.scheme in _SCHEMES and "/" not in database and not parts.query and not parts.fragment
