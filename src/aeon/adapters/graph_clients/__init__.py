"""The clients of graph servers, Neo4j and FalkorDB, and what their servers refuse, for all rooms that use them."""
