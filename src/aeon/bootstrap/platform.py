"""The platform of a project's folder: its graph, its vault, its catalog, and what carries out its tools."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Self

from aeon.adapters.graph.embedded import open_embedded
from aeon.adapters.operations.probes import HttpProbe, McpProbe, SocketProbe
from aeon.adapters.operations.rest import RestExecutor
from aeon.adapters.vault import find_master_key, open_vault
from aeon.base.clock import SystemClock
from aeon.platform.catalog.as_tool import StoredTool
from aeon.platform.catalog.calling import ToolCaller
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.health import HealthChecks, Probe
from aeon.platform.graph import GraphStore
from aeon.platform.vault import Vault

_MOST_OFFERED = 200


class Platform:
    """Everything that a command of the platform needs. A context manager."""

    def __init__(self, store: GraphStore, vault: Vault, user: str) -> None:
        clock = SystemClock()
        self.store = store
        self.user = user
        self.catalog = Catalog(store, vault, clock=clock)
        self.caller = ToolCaller(self.catalog, {"rest_request": RestExecutor()}, clock)
        probes: dict[str, Probe] = {
            "rest_api": HttpProbe(),
            "llm_provider": HttpProbe(),
            "neo4j_graph": SocketProbe(),
            "mcp_server": McpProbe(),
        }
        self.health = HealthChecks(store, self.catalog.tools, self.catalog.services, probes, clock)
        self._vault = vault
        self.catalog.add_user(user)

    def kernel_tools(self) -> list[StoredTool]:
        """The user's own tools and those that others share with him, for a kernel's registry."""
        tools = self.catalog.tools
        own = tools.page_of_own(self.user, limit=_MOST_OFFERED)
        shared = tools.page_of_shared(self.user, limit=_MOST_OFFERED)
        found = {each.name: each for each in [*shared, *own]}  # of two with one name, his own
        return [StoredTool(each, partial(self.caller.call, self.user, each.id)) for each in found.values()]

    def close(self) -> None:
        """Give back what was opened."""
        self._vault.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_graph(project: Path) -> GraphStore:
    """The graph kept in a project's `.aeon/graph`, and nothing else of the platform. Raises GraphError."""
    return open_embedded(project / ".aeon" / "graph")


def open_platform(project: Path, environ: Mapping[str, str], user: str) -> Platform:
    """The platform kept in a project's `.aeon`, made there if need be; `user` is on whose behalf all is done.

    Raises GraphError, VaultError, MissingExtraError.
    """
    home = project / ".aeon"
    store = open_graph(project)
    try:
        vault_file = home / "vault.db"
        found = find_master_key(environ, home / "master.key", vault=vault_file)
        return Platform(store, open_vault(vault_file, found.keys, SystemClock()), user)
    except BaseException:
        store.close()
        raise
