"""Stores large results as files that are named by their content."""

from aeon.adapters.results.files import FileResultStore
from aeon.adapters.results.memory import MemoryResultStore

__all__ = ["FileResultStore", "MemoryResultStore"]
