"""The commands of the platform: the graph, what is defined in it, and stored tools."""
