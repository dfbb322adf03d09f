"""Metrics of services, tools, processes and conversations: definitions, values and aggregation (platform 18)."""
