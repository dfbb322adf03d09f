"""Whole records as files: exported, imported, and read in older formats."""
