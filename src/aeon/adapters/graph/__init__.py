"""Where the graph lives: FalkorDB embedded in the project, in memory, or as a server."""

from aeon.adapters.graph.embedded import memory, open_embedded
from aeon.adapters.graph.falkordb import FalkorGraph, open_server

__all__ = ["FalkorGraph", "memory", "open_embedded", "open_server"]
