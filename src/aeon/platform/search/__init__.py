"""Search in the things that users define and share: by words and by similar names."""
