"""Plans as pure data: a goal and its steps, read from JSON or YAML, every problem reported at once."""
