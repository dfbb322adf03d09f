"""Checks of Plan JSON before it runs: its edges, its fingerprint, all its faults (skills 5, 7)."""
