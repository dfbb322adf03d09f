"""What services take at most, kept to by all jobs of all runs on one record together."""
