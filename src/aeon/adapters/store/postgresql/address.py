"""The address of a record: `postgresql://user@host:5432/database?schema=aeon&sslmode=...`."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from aeon.base.errors import ConfigError

_FORM = "postgresql://user@host:5432/database"
_PORT = "5432"
_SCHEMA = "aeon"
_PLACE = re.compile(r"[^/?#]*")
"""User and hosts. Split off by itself: since 3.13, Python refuses several hosts of which one is in brackets."""

_SCHEMA_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_OPTIONS = frozenset(
    {
        "application_name",
        "channel_binding",
        "connect_timeout",
        "gssencmode",
        "krbsrvname",
        "load_balance_hosts",
        "sslcert",
        "sslcrl",
        "sslkey",
        "sslmode",
        "sslnegotiation",
        "sslrootcert",
        "target_session_attrs",
    }
)
"""The libpq options that an address may set. The others are Aeon's, or could send the password to another host."""


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """The location of a record.

    Hosts and ports are in the order of attempts; without hosts, a local socket is used.
    """

    user: str
    hosts: tuple[str, ...]
    ports: tuple[str, ...]
    database: str
    schema: str = _SCHEMA
    options: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def title(self) -> str:
        """The kind of store, its servers and the database, without the user."""
        places = zip(self.hosts, self.ports, strict=True)
        where = ",".join(host if host.startswith("/") else f"{_bracketed(host)}:{port}" for host, port in places)
        return f"PostgreSQL at {where or 'this machine'}/{self.database or self.user}"

    @property
    def parameters(self) -> dict[str, str]:
        """The connection parameters for libpq."""
        parameters = {
            "user": self.user,
            "host": ",".join(self.hosts),
            "port": ",".join(self.ports),
            "dbname": self.database,
            **self.options,
        }
        return {name: value for name, value in parameters.items() if value}


class _InvalidAddressError(ValueError):
    """What is wrong with an address."""


def parse_address(text: str, *, section: str = "store", schema: str | None = None) -> PostgresAddress:
    """Parses the address of a section of the settings. With a fixed `schema`, it may not name another one.

    Raises ConfigError, which does not repeat the address: it may contain a password.
    """
    try:
        return _parsed(text, schema)
    except _InvalidAddressError as error:
        raise ConfigError(
            f"{section}.address is not a PostgreSQL address. {error}.", next_step=f"Use {_FORM}."
        ) from None


def _parsed(text: str, schema: str | None) -> PostgresAddress:
    try:
        scheme, _, rest = text.strip().partition("://")
        place = _PLACE.match(rest)
        netloc = "" if place is None else place[0]
        parts = urlsplit(f"//host{rest.removeprefix(netloc)}")
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError:
        raise _InvalidAddressError("It cannot be read") from None
    if scheme.lower() != "postgresql" or parts.fragment:
        raise _InvalidAddressError("It has a different form")
    user, _, hosts = netloc.rpartition("@")
    if ":" in user or options.keys() & {"password", "sslpassword"}:
        raise _InvalidAddressError(
            "It contains a password; put it into an environment variable, and name that in password_env"
        )
    return _address_of(unquote(user), hosts, unquote(parts.path.removeprefix("/")), options, schema)


def _address_of(
    user: str, netloc: str, database: str, options: dict[str, str], fixed_schema: str | None
) -> PostgresAddress:
    schema = fixed_schema or options.pop("schema", _SCHEMA)
    folder = options.pop("host", "")
    if folder and not folder.startswith("/"):
        raise _InvalidAddressError("Its host= is not the folder of a socket")
    if unknown := sorted(options.keys() - _OPTIONS):
        raise _InvalidAddressError(f"It has unknown options: {', '.join(unknown)}")
    if not _SCHEMA_NAME.fullmatch(schema):
        raise _InvalidAddressError("Its schema= is not a plain lowercase name")
    places = [_host_and_port(place) for place in netloc.split(",")] if netloc else []
    if folder:
        places = [(folder, port) for _, port in places or [("", _PORT)]]
    hosts, ports = tuple(host for host, _ in places), tuple(port for _, port in places)
    if len(hosts) > 1:
        options.setdefault("target_session_attrs", "read-write")
    return PostgresAddress(user, hosts, ports, database, schema, options)


def _host_and_port(text: str) -> tuple[str, str]:
    """Parses `host`, `host:5432`, `[::1]:5432`, or `:5432` for a socket."""
    match = re.fullmatch(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[^\[\]:,/\\\s]*))(?::(?P<port>\d{1,5}))?", text)
    if match is None:
        raise _InvalidAddressError("One of its hosts cannot be read")
    return match["v6"] or match["host"], match["port"] or _PORT


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
