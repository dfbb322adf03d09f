"""What a request must be before it is planned."""

import re

from aeon.base.errors import RequestError

MAX_REQUEST = 20_000
"""Characters of a request."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def normalize_request(request: str) -> str:
    """The request without the space around it. Raises RequestError for one that cannot be planned."""
    if not isinstance(request, str) or not request.strip():  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may hand us anything
        raise RequestError("The request is empty.")
    if len(request) > MAX_REQUEST:
        raise RequestError(
            f"The request has {len(request):,} characters; at most {MAX_REQUEST:,} are planned.",
            next_step="Shorten it, or put long text into a file that a tool reads.",
        )
    if _CONTROL.search(request):
        raise RequestError("The request contains control characters; it looks like a binary file.")
    return request.strip()
