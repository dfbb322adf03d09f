"""Pure scheduling of nodes that depend on each other: order, what is ready, cycles with their path. No I/O."""
