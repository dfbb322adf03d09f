"""Opens the graph that shows what users know to Graphiti, on the server of the settings."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from aeon.base.errors import ConfigError
from aeon.bootstrap.passwords import is_loopback, server_password
from aeon.llm.interface import LLMAdapter
from aeon.platform.embedder import Embedder
from aeon.platform.knowledge.model import GRAPHITI
from aeon.platform.knowledge.view import KnowledgeGraph
from aeon.settings import Settings, environment_variable

_ADDRESS = "graphiti.address"


def open_knowledge_graph(
    settings: Settings,
    environ: Mapping[str, str],
    from_project: Mapping[str, Path],
    embedder: Callable[[], Embedder | None],
    model: Callable[[], LLMAdapter],
) -> KnowledgeGraph | None:
    """Return the graph, without connecting yet; None if the settings name no server and no extraction needs one.

    Raises MissingExtraError; ConfigError for an invalid address, a missing password, without an embedding model in this
    process, and for a server elsewhere that a project's file chose: what users say would be sent there (decision 12).
    """
    address = settings.graphiti.address
    if address is None:
        if settings.conversations.extractor == GRAPHITI:
            raise no_graphiti("conversations.extractor is graphiti, and no graph server is configured for it.")
        return None
    if (file := from_project.get(_ADDRESS)) is not None and not is_loopback(address):
        raise ConfigError(
            f"The project's file {file} would have what you say sent to {address}. A project's file may come from "
            "somebody else, so it does not decide that.",
            next_step="If you trust that address, set it yourself: export "
            f"{environment_variable(_ADDRESS)}={shlex.quote(address)}",
        )
    password = server_password("graphiti", address, settings.graphiti.password_env, environ, from_project)
    if (opened := embedder()) is None:
        raise ConfigError(
            "Graphiti's search needs an embedding model in this process; what you say is sent to none elsewhere.",
            next_step="Install aeon-orchestrator[graphiti], and leave embeddings.provider at embedded.",
        )
    from aeon.adapters.graphiti import open_graphiti

    return open_graphiti(address, password, opened, model)


def no_graphiti(message: str) -> ConfigError:
    """Return the error of what needs a graph server for Graphiti where none is configured."""
    return ConfigError(
        message, next_step=f"Set {_ADDRESS}, or export {environment_variable(_ADDRESS)}=falkordb://host:6379."
    )
