"""Finds skills on disk, reads them strictly or leniently, and keeps the catalog up to date (skills 8, 9)."""
