"""The graph store that the settings mean: embedded in the project's folder, or a server."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from aeon.base.errors import ConfigError
from aeon.bootstrap.choice import NOTHING_FROM_PROJECT, is_loopback
from aeon.platform.graph import GraphStore
from aeon.settings import GraphSettings, variable


def open_graph(
    project: Path,
    settings: GraphSettings,
    environ: Mapping[str, str],
    from_project: Mapping[str, Path] = NOTHING_FROM_PROJECT,
) -> GraphStore:
    """The store, opened. `from_project` are the keys whose value stands in a project's file, and the file.

    Raises GraphError; MissingExtraError; ConfigError for an address that is none, a password that is not there, or one
    that would go to a server that a project's file chose (decision 12).
    """
    if settings.address is None:
        from aeon.adapters.graph import open_embedded

        return open_embedded(project / ".aeon" / "graph")
    password = _password(settings, settings.address, environ, from_project)
    if settings.address.startswith("falkordb:"):
        from aeon.adapters.graph import open_server

        address, user = _without_user(settings.address)
        return open_server(address, password, user=user)
    from aeon.adapters.graph import open_neo4j

    return open_neo4j(settings.address, password)


def _password(
    settings: GraphSettings, address: str, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> Callable[[], str] | None:
    name = settings.password_env
    if name is None:
        return None
    file = from_project.get("graph.address")
    if file is not None and not is_loopback(address):
        raise ConfigError(
            f"The project's file {file} would have the password in {name} sent to {address}. A project's file may come "
            "from somebody else, so it does not decide who gets your password.",
            next_step=f"If you trust it, say so yourself: export {variable('graph.address')}={shlex.quote(address)}",
        )
    password = environ.get(name)
    if not password:
        raise ConfigError(
            f"The environment variable {name}, which is to hold the graph's password, is not set.",
            next_step=f"Run: export {name}=...",
        )
    return lambda: password


def _without_user(address: str) -> tuple[str, str]:
    """The address as the client of this server wants it, and the user in it, empty for none."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), parts.username or ""
