"""The user's files: what of them may be read and written, and their text."""
