"""A skill's settings: checked, filled from the environment, secrets hidden (skills 10)."""
