"""Prepares scripts to be started: interpreter, files, grants, environment (skills 11)."""
