"""The platform of a project's folder: its graph, its vault, its catalog, and what carries out its tools."""

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from aeon.adapters.graph.embedded import open_embedded
from aeon.adapters.vault import find_master_key, open_vault
from aeon.base.clock import SystemClock
from aeon.base.errors import InputError
from aeon.llm.interface import LLMAdapter
from aeon.platform.catalog.as_tool import StoredTool
from aeon.platform.catalog.calling import ToolCaller, Work
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.health import HealthChecks
from aeon.platform.graph import GraphStore
from aeon.platform.vault import Vault

_MOST_OFFERED = 200
"""Stored tools that a kernel is offered of its user's own, and of those that are shared."""


class Platform:
    """Everything that a command of the platform needs. A context manager."""

    def __init__(self, store: GraphStore, vault: Vault, user: str, model: Callable[[], LLMAdapter]) -> None:
        """`model` gives the project's own model, for tools on the endpoint `aeon:model`."""
        self.store = store
        self.user = user
        self.catalog = Catalog(store, vault)
        self._vault = vault
        self._model = model
        self._closing: list[Callable[[], None]] = [vault.close, store.close]
        self.catalog.add_user(user)

    @cached_property
    def caller(self) -> ToolCaller:
        """What runs stored tools; each kind of operation brings its client when it is first asked for."""
        from aeon.adapters.operations.graph import GraphExecutor
        from aeon.adapters.operations.llm import LlmExecutor
        from aeon.adapters.operations.mcp import McpExecutor
        from aeon.adapters.operations.rest import RestExecutor

        mcp = McpExecutor()
        self._closing.insert(0, mcp.close)
        executors = {
            "rest_request": RestExecutor(),
            "graph_query": GraphExecutor(self.store),
            "llm_call": LlmExecutor(self._model_for),
            "mcp_call": mcp,
        }
        return ToolCaller(self.catalog, executors, SystemClock())

    @cached_property
    def health(self) -> HealthChecks:
        """What asks whether services answer."""
        from aeon.adapters.operations.probes import HttpProbe, McpProbe, SocketProbe

        probes = {
            "rest_api": HttpProbe(),
            "llm_provider": HttpProbe(),
            "neo4j_graph": SocketProbe(),
            "mcp_server": McpProbe(),
        }
        return HealthChecks(self.store, self.catalog.tools, self.catalog.services, probes, SystemClock())

    def kernel_tools(self) -> list[StoredTool]:
        """The user's own tools and those that others share with him, for a kernel's registry."""
        tools = self.catalog.tools
        own = tools.page_of_own(self.user, limit=_MOST_OFFERED)
        shared = tools.page_of_shared(self.user, limit=_MOST_OFFERED)
        found = {each.name: each for each in [*shared, *own]}  # of two with one name, his own
        return [StoredTool(each, partial(self.caller.call, self.user, each.id)) for each in found.values()]

    def close(self) -> None:
        """Give back what was opened."""
        for close in self._closing:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _model_for(self, work: Work) -> LLMAdapter:
        from aeon.adapters.operations.llm import OWN_MODEL

        endpoint, name = str(work.connection["endpoint"]), work.connection.get("model")
        if endpoint == OWN_MODEL:
            return self._model()
        if not isinstance(name, str):
            raise InputError("The tool's connectionParams name no model.", next_step="Add `model` to them.")
        from aeon.llm.adapters.remote_api import RemoteAPIAdapter

        key = work.secret.reveal().get("key") if work.secret else None
        return RemoteAPIAdapter(endpoint, name, api_key=key, timeout=work.operation.timeout)


def open_graph(project: Path) -> GraphStore:
    """The graph kept in a project's `.aeon/graph`, and nothing else of the platform. Raises GraphError."""
    return open_embedded(project / ".aeon" / "graph")


def open_platform(project: Path, environ: Mapping[str, str], user: str, model: Callable[[], LLMAdapter]) -> Platform:
    """The platform kept in a project's `.aeon`, made there if need be; `user` is on whose behalf all is done.

    Raises GraphError, VaultError, MissingExtraError.
    """
    home = project / ".aeon"
    store = open_graph(project)
    try:
        vault_file = home / "vault.db"
        found = find_master_key(environ, home / "master.key", vault=vault_file)
        return Platform(store, open_vault(vault_file, found.keys, SystemClock()), user, model)
    except BaseException:
        store.close()
        raise
