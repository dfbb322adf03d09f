"""Reads passwords of servers from the environment, and refuses servers that a project's file chose."""

import shlex
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from aeon.base.errors import ConfigError
from aeon.settings import environment_variable

NO_PROJECT_KEYS: Mapping[str, Path] = {}


def server_password(
    section: str, address: str, name: str | None, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> str | None:
    """Return the password in the variable `name` for the server at `address`; None if `name` is None.

    Raises ConfigError as `server_secret` does.
    """
    server = AddressedServer(f"{section}.address", address, "password", f"the {section}'s password")
    return server_secret(server, name, environ, from_project)


class AddressedServer(NamedTuple):
    """A server that gets a secret: the setting of its address, the address, and what the secret is called."""

    setting: str
    address: str
    secret: str
    secret_of: str


def server_secret(
    server: AddressedServer, name: str | None, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> str | None:
    """Return the secret in the variable `name` for a server; None if `name` is None.

    Raises ConfigError if the variable is not set, or if the secret would go to a server that a project's file chose
    (decision 12).
    """
    if name is None:
        return None
    file = from_project.get(server.setting)
    if file is not None and not is_loopback(server.address):
        raise ConfigError(
            f"The project's file {file} would have the {server.secret} in {name} sent to {server.address}. A project's "
            f"file may come from somebody else, so it does not decide who gets your {server.secret}.",
            next_step="If you trust that address, set it yourself: export "
            f"{environment_variable(server.setting)}={shlex.quote(server.address)}",
        )
    secret = environ.get(name)
    if not secret:
        raise ConfigError(
            f"The environment variable {name}, which must hold {server.secret_of}, is not set.",
            next_step=f"Run: export {name}=...",
        )
    return secret


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine, judged by its text alone: no name is looked up.

    A PostgreSQL address with several hosts, or with another host after the `?`, is not.
    """
    parts = urlsplit(address)
    if "," in parts.netloc or any(key.startswith("host") for key, _ in parse_qsl(parts.query)):
        return False
    host = parts.hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
