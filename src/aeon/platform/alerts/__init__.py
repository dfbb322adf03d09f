"""Alerts: a metric beyond a threshold starts a Process, once for each crossing."""
