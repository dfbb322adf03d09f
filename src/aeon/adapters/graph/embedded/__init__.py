"""FalkorDB as a process of the project's own: shared by all its users, gone when the last of them is."""

from aeon.adapters.graph.embedded.opening import memory, open_embedded

__all__ = ["memory", "open_embedded"]
