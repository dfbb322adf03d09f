"""Cached results of pure tools, shared by all runs on one record."""
