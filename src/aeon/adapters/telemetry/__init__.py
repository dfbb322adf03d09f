"""Export of spans of runs by OpenTelemetry; off unless the environment names an endpoint."""
