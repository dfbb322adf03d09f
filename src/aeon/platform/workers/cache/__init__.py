"""Results of pure tools in the graph, used again by all runs on it."""
