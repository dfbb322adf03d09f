"""Processes: workflows stored as data, their checks, their expressions and their versions."""
