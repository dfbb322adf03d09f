"""Exports whole records to files, and imports them, also from older formats."""
