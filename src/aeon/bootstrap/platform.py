"""The platform of a project's folder: its record, its vault, its catalog, and what carries out its tools."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aeon.base.clock import SystemClock
from aeon.bootstrap.stores import open_store
from aeon.bootstrap.vaults import open_project_vault
from aeon.llm.interface import LLMAdapter
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.store import Store
from aeon.platform.vault import Vault
from aeon.settings import Settings

if TYPE_CHECKING:
    from aeon.adapters.operations.mcp import McpExecutor
    from aeon.platform.catalog.as_tool import StoredTool
    from aeon.platform.catalog.calling import ToolCaller, Work
    from aeon.platform.catalog.health import HealthChecks
    from aeon.platform.catalog.tokens import Tokens
    from aeon.platform.metrics.calls import MeasuredCaller
    from aeon.platform.metrics.metrics import Metrics
    from aeon.platform.processes.processes import Processes

_MOST_OFFERED = 200
"""Stored tools that a kernel is offered of its user's own, and of those that are shared."""


class Platform:
    """Everything that a command of the platform needs, each part loaded at its first use. A context manager."""

    def __init__(self, store: Store, vault: Vault, model: Callable[[], LLMAdapter]) -> None:
        """`model` gives the project's own model, for tools on the endpoint `aeon:model`."""
        self.store = store
        self.catalog = Catalog(store, vault)
        self._vault = vault
        self._model = model
        self.notices: list[str] = []
        """What its users should be told about its opening."""
        self._closing: list[Callable[[], None]] = [vault.close, store.close]

    def also_close(self, close: Callable[[], None]) -> None:
        """Have something else closed with the platform."""
        self._closing.append(close)

    @cached_property
    def processes(self) -> "Processes":
        """The stored Processes."""
        from aeon.platform.processes.processes import Processes

        return Processes(self.store, self.catalog)

    @cached_property
    def caller(self) -> "ToolCaller":
        """What runs stored tools; each kind of operation brings its client when it is first asked for."""
        from aeon.adapters.operations.graph import GraphExecutor
        from aeon.adapters.operations.llm import LlmExecutor
        from aeon.adapters.operations.rest import RestExecutor
        from aeon.platform.catalog.calling import ToolCaller

        executors = {
            "rest_request": RestExecutor(),
            "graph_query": GraphExecutor(self.store),
            "llm_call": LlmExecutor(self._model_for),
            "mcp_call": self.mcp,
        }
        return ToolCaller(self.catalog, executors, self.tokens, SystemClock())

    @cached_property
    def metrics(self) -> "Metrics":
        """What is measured. Raises StoreError."""
        from aeon.platform.metrics.metrics import Metrics

        return Metrics(self.store, self.catalog.ledger)

    @cached_property
    def measured_caller(self) -> "MeasuredCaller":
        """What runs stored tools outside of runs, each call recorded."""
        from aeon.platform.metrics.calls import MeasuredCaller

        return MeasuredCaller(self.caller, self.catalog.tools, self.metrics.values)

    @cached_property
    def tokens(self) -> "Tokens":
        """The user's secrets for a use, OAuth tokens refreshed where that is due."""
        from aeon.adapters.operations.oauth import HttpTokenServer
        from aeon.platform.catalog.tokens import Tokens

        return Tokens(self.catalog.secrets, HttpTokenServer(), SystemClock())

    @cached_property
    def mcp(self) -> "McpExecutor":
        """What speaks with MCP servers, for calls and for the schemas of what they offer."""
        from aeon.adapters.operations.mcp import McpExecutor

        mcp = McpExecutor()
        self._closing.insert(0, mcp.close)
        return mcp

    @cached_property
    def health(self) -> "HealthChecks":
        """What asks whether services answer."""
        from aeon.adapters.operations.probes import HttpProbe, McpProbe, SocketProbe
        from aeon.platform.catalog.health import HealthChecks

        probes = {
            "rest_api": HttpProbe(),
            "llm_provider": HttpProbe(),
            "neo4j_graph": SocketProbe(),
            "mcp_server": McpProbe(),
        }
        return HealthChecks(self.store, self.catalog.tools, self.catalog.services, probes, SystemClock())

    def kernel_tools(self, user: str) -> "list[StoredTool]":
        """A user's own tools and those that others share with them, for a kernel's registry."""
        from aeon.platform.catalog.as_tool import StoredTool

        tools = self.catalog.tools
        own = tools.page_of_own(user, limit=_MOST_OFFERED)
        shared = tools.page_of_shared(user, limit=_MOST_OFFERED)
        found = {each.name: each for each in [*shared, *own]}  # of two with one name, his own
        return [StoredTool(each, partial(self.caller.call, user, each.id)) for each in found.values()]

    def close(self) -> None:
        """Give back what was opened."""
        for close in self._closing:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _model_for(self, work: "Work") -> AbstractContextManager[LLMAdapter]:
        from aeon.adapters.operations.llm import OWN_MODEL
        from aeon.adapters.operations.llm_servers import model_server

        return nullcontext(self._model()) if work.connection["endpoint"] == OWN_MODEL else model_server(work)


def open_platform(project: Path, store: Store, environ: Mapping[str, str], model: Callable[[], LLMAdapter]) -> Platform:
    """The platform on an open record, which it closes, with the vault in the project's `.aeon`, made if need be.

    Raises StoreError, VaultError, MissingExtraError, ForeignFolderError.
    """
    try:
        opened = open_project_vault(project, environ)
    except BaseException:
        store.close()
        raise
    platform = Platform(store, opened.vault, model)
    platform.notices += opened.notices
    return platform


def platform_of(
    project: Path, settings: Settings, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> Platform:
    """The platform that a project's settings mean. Its model is opened at its first question.

    Raises StoreError, VaultError, MissingExtraError, ConfigError.
    """

    def model() -> LLMAdapter:
        from aeon.bootstrap.app import build

        app = build(settings, environ, from_project)
        platform.also_close(app.close)
        return app.model

    store = open_store(project, settings.store, environ, from_project)
    platform = open_platform(project, store, environ, cache(model))
    return platform  # `model` closes over it
