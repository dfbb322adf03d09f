"""Where the graph lives: FalkorDB embedded in the project, in memory, or as a server; or a Neo4j server."""

from aeon.adapters.graph.embedded import memory, open_embedded
from aeon.adapters.graph.falkordb import FalkorGraph, open_server
from aeon.adapters.graph.neo4j import Neo4jGraph, open_neo4j

__all__ = ["FalkorGraph", "Neo4jGraph", "memory", "open_embedded", "open_neo4j", "open_server"]
