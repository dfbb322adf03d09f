"""Webhooks: other programs start Processes by signed events, each event once."""
