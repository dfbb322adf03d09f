"""Failures of graph servers."""

from typing import NamedTuple


class GraphServerFailure(NamedTuple):
    """A server's failure, described without values of parameters or data (platform 3)."""

    message: str
    advice: str
    is_transient: bool
    """Whether the same query may succeed later."""
