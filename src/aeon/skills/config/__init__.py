"""A skill's settings: checked, filled in from the environment, secrets hidden (skills 10)."""
