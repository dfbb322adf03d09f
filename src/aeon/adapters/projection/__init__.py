"""Graph servers that a record can be projected into: Neo4j and FalkorDB."""

from aeon.adapters.projection.falkordb import open_falkordb
from aeon.adapters.projection.neo4j import open_neo4j

__all__ = ["open_falkordb", "open_neo4j"]
