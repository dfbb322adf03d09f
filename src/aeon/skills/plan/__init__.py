"""Plan JSON before anything runs: its form, its edges, everything wrong with it (skills 5, 7)."""
