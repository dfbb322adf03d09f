"""Runs a plan: scheduling, attempts, verdicts, effects, the trace (skills 3 to 6)."""
