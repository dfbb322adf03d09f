"""Rate limits of services, shared by all jobs of all runs on one record."""
