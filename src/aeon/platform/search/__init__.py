"""Search in what users define and share: by words, and by names that are spelled alike."""
