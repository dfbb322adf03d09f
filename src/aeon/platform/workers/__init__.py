"""Workers: the pool that executes jobs, the registry of processes, and their maintenance."""
