"""An estimate of tokens for models whose vocabulary is not at hand. Pure."""

import re
from math import ceil
from typing import ClassVar

from aeon.platform.memory.budget import CountKind

_PARTS = re.compile(r"[A-Za-z]+|[0-9]|[^\W\d_]|[^\w\s]|\s+|_")
_LETTERS_OF_A_TOKEN = 5
"""Common English words are one token up to here; longer ones are two or more."""


class TokenEstimate:
    """Counts words, digits, signs and letters of other scripts; rather too many tokens than too few."""

    name: ClassVar[str] = "words"
    kind: ClassVar[CountKind] = "estimate"

    def count(self, text: str) -> int:
        """Returns the estimated tokens of a text."""
        return sum(_tokens(part) for part in _PARTS.findall(text))


def _tokens(part: str) -> int:
    if part.isspace():
        return 1 if "\n" in part or len(part) > 1 else 0
    return ceil(len(part) / _LETTERS_OF_A_TOKEN) if part.isascii() else 1
