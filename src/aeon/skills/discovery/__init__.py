"""Skills on disk: folders found, read strictly or leniently, kept up to date (skills 8, 9)."""
