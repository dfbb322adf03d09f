"""Notes that a model keeps for itself: a carousel of slots with their versions (platform 39)."""
