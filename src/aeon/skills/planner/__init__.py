"""Planners, from a request to a plan: with a model, or by patterns (skills 7, 12)."""
