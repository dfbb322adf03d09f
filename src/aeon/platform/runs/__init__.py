"""Runs of Processes: accepted, executed by an engine, and recorded event by event."""
