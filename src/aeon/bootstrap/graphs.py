"""The graph store that the settings mean: embedded in the project's folder, or a server."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from aeon.bootstrap.choice import NOTHING_FROM_PROJECT
from aeon.bootstrap.passwords import password_of
from aeon.platform.graph import GraphStore
from aeon.settings import GraphSettings


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
    found = password_of("graph", settings.address, settings.password_env, environ, from_project)
    password = None if found is None else lambda: found
    if settings.address.startswith("falkordb:"):
        from aeon.adapters.graph import open_server

        address, user = _without_user(settings.address)
        return open_server(address, password, user=user)
    from aeon.adapters.graph import open_neo4j

    return open_neo4j(settings.address, password)


def _without_user(address: str) -> tuple[str, str]:
    """The address as the client of this server wants it, and the user in it, empty for none."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), parts.username or ""
