"""Runs a plan: scheduling, attempts, verdicts, effects in plan order, the trace (skills 3 to 6)."""
