"""Runs of Processes: accepted, carried out by an engine, recorded event by event, and answered for from that record."""
