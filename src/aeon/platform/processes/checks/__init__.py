"""Checks a whole Process before it is saved, and reports every problem with its path."""
