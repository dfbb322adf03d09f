"""Runs a plan: what may start, attempts, verdicts, effects in plan order, the trace (skills 3 to 6)."""
