"""Published skills, run unchanged inside a typed, retried DAG: discovery, configuration, processes, plans, replanning."""
