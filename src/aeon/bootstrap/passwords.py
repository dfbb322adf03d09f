"""The password of a server that the settings name, from the environment, and only for whom its owner chose."""

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
    """What the variable `name` holds, for the server at `address`; None where no variable is named.

    Raises ConfigError for a variable that is not set, and for a password that would go to a server that a project's
    file chose (decision 12).
    """
    if name is None:
        return None
    file = from_project.get(f"{section}.address")
    if file is not None and not is_loopback(address):
        raise ConfigError(
            f"The project's file {file} would have the password in {name} sent to {address}. A project's file may come "
            "from somebody else, so it does not decide who gets your password.",
            next_step="If you trust it, say so: export "
            f"{environment_variable(f'{section}.address')}={shlex.quote(address)}",
        )
    password = environ.get(name)
    if not password:
        raise ConfigError(
            f"The environment variable {name}, which is to hold the {section}'s password, is not set.",
            next_step=f"Run: export {name}=...",
        )
    return password


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own, going by its spelling alone: no name is looked up.

    PostgreSQL's addresses may name several hosts, or another one behind the `?`; such an address is not.
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
