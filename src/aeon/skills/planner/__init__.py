"""Planners, from a request to a plan: skill search, a schema-constrained model, or patterns (skills 7, 12)."""
