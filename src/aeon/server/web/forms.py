"""What the forms of the page have in common."""

import hashlib
from typing import Annotated, TypeAlias

from fastapi import Form

from aeon.platform.conversations.model import MAX_CONTENT

Said: TypeAlias = Annotated[str, Form(min_length=1, max_length=2 * MAX_CONTENT)]
"""The words of a message, in which browsers send each new line as two characters."""

Key: TypeAlias = Annotated[str, Form(min_length=1, max_length=50)]
"""The key of a form; sending it twice does it once (platform 20)."""


def normalized(content: str) -> str:
    """A text of a form as its user typed it."""
    return content.replace("\r\n", "\n")


def key_of(key: str, content: str = "") -> str:
    """The Idempotency-Key of a form with this text: other words from the same form are another request."""
    return f"{key}:{hashlib.sha256(content.encode()).hexdigest()[:16]}"
