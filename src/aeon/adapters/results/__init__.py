"""Where large results are kept: files named by their content."""

from aeon.adapters.results.files import FileResultStore

__all__ = ["FileResultStore"]
