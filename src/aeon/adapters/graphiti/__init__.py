"""Graphiti: the visible knowledge of a user in the shape of its graph, and extraction by it (extra `graphiti`)."""

from aeon.adapters.graphiti.opening import open_graphiti

__all__ = ["open_graphiti"]
