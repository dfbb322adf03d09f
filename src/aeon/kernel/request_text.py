"""Which texts can be a request."""

import re

from aeon.base.errors import RequestError
from aeon.base.next_steps import NextStep

MAX_REQUEST = 20_000
"""Characters of a request."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def normalize_request(request: str) -> str:
    """Returns the request without surrounding white space. Raises RequestError if it cannot be planned."""
    if not isinstance(request, str) or not request.strip():  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may pass anything
        raise RequestError("The request is empty.")
    if len(request) > MAX_REQUEST:
        raise RequestError(
            f"The request has {len(request):,} characters; at most {MAX_REQUEST:,} are allowed.",
            next_step=NextStep("requests.give_file"),
        )
    if _CONTROL.search(request):
        raise RequestError("The request contains control characters; it looks like a binary file.")
    return request.strip()
