"""Clients of the graph servers Neo4j and FalkorDB, and their failures."""
