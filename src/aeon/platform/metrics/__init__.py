"""Metrics of services, tools, processes and conversations (platform 18)."""
