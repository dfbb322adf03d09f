"""Stores large results as files that are named by their content."""

from aeon.adapters.results.files import FileResultStore

__all__ = ["FileResultStore"]
