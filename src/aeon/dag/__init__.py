"""Pure scheduling of a dependency graph: order, ready nodes, cycles with their path. No I/O."""
