"""Processes: workflows as data. What one says, whether it can work, and what is to be done next in a run of it."""
