"""Why a graph server did not do what it was asked."""

from typing import NamedTuple


class GraphServerFailure(NamedTuple):
    """A server's refusal in words that hold no value of a parameter or of the data (platform 3)."""

    message: str
    advice: str
    is_transient: bool
    """Whether the same query may succeed later."""
