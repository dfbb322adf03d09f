"""Opens the graph for Graphiti on the server of an address."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from aeon.adapters.graph_clients import falkordb, neo4j
from aeon.adapters.graphiti.library import prepare_graphiti
from aeon.adapters.projection.addresses import falkordb_address, neo4j_address
from aeon.llm.interface import LLMAdapter
from aeon.platform.embedder import Embedder

if TYPE_CHECKING:
    from aeon.adapters.graphiti.graph import GraphitiGraph


def open_graphiti(
    address: str, password: str | None, embedder: Embedder, model: Callable[[], LLMAdapter]
) -> "GraphitiGraph":
    """Return the graph at `bolt[+s]://user@host:port/database` or `falkordb://user@host:port`, without connecting yet.

    Raises ConfigError for an invalid address, and MissingExtraError without Graphiti.
    """
    prepare_graphiti()
    from aeon.adapters.graphiti.drivers import FalkorServer, Neo4jServer
    from aeon.adapters.graphiti.graph import GraphitiGraph

    if address.startswith("falkordb:"):
        server = FalkorServer(falkordb_address(address, falkordb.PORT), password)
    else:
        server = Neo4jServer(neo4j_address(address, neo4j.PORT), password)
    return GraphitiGraph(server, embedder, model)
