"""Reads passwords of servers from the environment, and refuses servers that a project's file chose."""

import shlex
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from aeon.base.errors import ConfigError
from aeon.settings import environment_variable

NO_PROJECT_KEYS: Mapping[str, Path] = {}


def server_password(
    section: str, address: str, name: str | None, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> str | None:
    """Return the password in the variable `name` for the server at `address`; None if `name` is None.

    Raises ConfigError if the variable is not set, or if the password would go to a server that a project's file chose
    (decision 12).
    """
    if name is None:
        return None
    file = from_project.get(f"{section}.address")
    if file is not None and not is_loopback(address):
        raise ConfigError(
            f"The project's file {file} would have the password in {name} sent to {address}. A project's file may come "
            "from somebody else, so it does not decide who gets your password.",
            next_step="If you trust that address, set it yourself: export "
            f"{environment_variable(f'{section}.address')}={shlex.quote(address)}",
        )
    password = environ.get(name)
    if not password:
        raise ConfigError(
            f"The environment variable {name}, which must hold the {section}'s password, is not set.",
            next_step=f"Run: export {name}=...",
        )
    return password


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
