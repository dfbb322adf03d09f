"""Spans of runs for whoever reads OpenTelemetry: off unless the environment names an endpoint."""
