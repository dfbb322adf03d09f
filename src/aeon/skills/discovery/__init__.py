"""Finds skills on disk, reads them leniently, keeps the catalog current (skills 8, 9)."""
