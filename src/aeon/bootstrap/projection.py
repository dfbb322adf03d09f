"""The projection of the record that the settings mean: a graph on a Neo4j or FalkorDB server."""

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
    """The graph that the record is projected into; its server is not asked yet.

    `from_project` are the keys whose value stands in a project's file, and the file. Raises MissingExtraError;
    ConfigError where no graph is set, for an address that is none, a password that is not there, or one that would go
    to a server that a project's file chose (decision 12).
    """
    if settings.address is None:
        raise ConfigError(
            "No graph is set that the record is projected into.",
            next_step=f"Set graph.address, or export {environment_variable('graph.address')}=bolt://user@host:7687.",
        )
    password = server_password("graph", settings.address, settings.password_env, environ, from_project)
    if settings.address.startswith("falkordb:"):
        from aeon.adapters.projection.falkordb import open_falkordb

        return open_falkordb(settings.address, password)
    from aeon.adapters.projection.neo4j import open_neo4j

    return open_neo4j(settings.address, password)


def new_projector(store: Store, target: GraphTarget, clock: Clock | None = None) -> Projector:
    """What brings the graph up to the record."""
    return Projector(store, target, clock or SystemClock())
