"""Published skills in a typed, retried DAG: discovery, settings, scripts, plans, replanning."""
