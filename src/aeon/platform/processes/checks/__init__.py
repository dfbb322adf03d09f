"""Checks a whole Process before it is saved; reports every problem at once, each with its path."""
