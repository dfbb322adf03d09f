"""Whether a Process can work, looked at as a whole before it is saved: every mistake at once, each with its path."""
