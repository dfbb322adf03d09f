"""Opens the projection of the record: a graph on the Neo4j or FalkorDB server of the settings."""

from collections.abc import Mapping
from pathlib import Path

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import ConfigError
from aeon.bootstrap.passwords import NO_PROJECT_KEYS, server_password
from aeon.platform.projection import GraphTarget, Projector
from aeon.platform.store import Store
from aeon.settings import GraphSettings, environment_variable


def open_target(
    settings: GraphSettings, environ: Mapping[str, str], from_project: Mapping[str, Path] = NO_PROJECT_KEYS
) -> GraphTarget:
    """Return the target graph of the projection, without connecting to its server yet.

    `from_project` maps the keys that a project's file sets to that file. Raises MissingExtraError; ConfigError if no
    graph is set, for an invalid address, a missing password, or one that would go to a server that a project's file
    chose (decision 12).
    """
    if settings.address is None:
        raise ConfigError(
            "No graph database is configured for the projection of the record.",
            next_step=f"Set graph.address, or export {environment_variable('graph.address')}=bolt://user@host:7687.",
        )
    password = server_password("graph", settings.address, settings.password_env, environ, from_project)
    if settings.address.startswith("falkordb:"):
        from aeon.adapters.projection.falkordb import open_falkordb

        return open_falkordb(settings.address, password)
    from aeon.adapters.projection.neo4j import open_neo4j

    return open_neo4j(settings.address, password)


def new_projector(store: Store, target: GraphTarget, clock: Clock | None = None) -> Projector:
    """Return the projector that synchronizes the graph with the record."""
    return Projector(store, target, clock or SystemClock())
