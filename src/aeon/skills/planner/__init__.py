"""From a request to a plan: search, a model under a schema, or patterns alone (skills 7, 12)."""
