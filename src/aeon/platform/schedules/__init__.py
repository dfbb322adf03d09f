"""Schedules: start Processes at given times, and never twice for the same instant."""
