"""Neo4j as a graph store: a server over Bolt, explicit transactions, nothing sent twice that may have happened."""

from aeon.adapters.graph.neo4j.server import open_neo4j
from aeon.adapters.graph.neo4j.store import Neo4jGraph

__all__ = ["Neo4jGraph", "open_neo4j"]
