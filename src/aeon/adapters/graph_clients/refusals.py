"""Why a graph server did not do what it was asked."""

from typing import NamedTuple


class Refusal(NamedTuple):
    """A server's refusal in words that hold no value of a parameter or of the data (platform 3)."""

    message: str
    advice: str
    is_passing: bool
    """Whether the same query may succeed later."""
