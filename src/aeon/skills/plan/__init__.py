"""Checks of Plan JSON before it runs: edges, fingerprint, faults (skills 5, 7)."""
