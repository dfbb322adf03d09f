"""Schedules: when a Process is started by itself, and that no moment starts it twice."""
