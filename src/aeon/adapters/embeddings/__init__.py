"""Embedding models: one in this process, and those behind an API."""
