"""Metrics: what is measured of services, tools, processes and conversations, and what it comes to (platform 18)."""
