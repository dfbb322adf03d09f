"""Summaries of parts of a path: what is compressed next, and what stands for turns that do not fit a prompt."""
