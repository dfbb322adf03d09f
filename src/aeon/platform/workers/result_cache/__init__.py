"""Results of pure tools in the record, used again by all runs on it."""
