"""FalkorDB as a graph store: what is sent to it, what comes back, and what can go wrong on the way."""

from aeon.adapters.graph.falkordb.server import open_server
from aeon.adapters.graph.falkordb.store import FalkorGraph

__all__ = ["FalkorGraph", "open_server"]
