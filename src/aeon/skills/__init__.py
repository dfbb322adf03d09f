"""Published skills, run unchanged in a typed, retried DAG: discovery, settings, processes, plans, replanning."""
