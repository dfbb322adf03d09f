"""An estimate of tokens for models whose vocabulary is not at hand. Pure."""

from collections.abc import Iterable
from math import ceil
from typing import Final, Literal, NamedTuple, TypeAlias

from aeon.base.lazy_pattern import LazyPattern

_PARTS = LazyPattern(r"[A-Za-z]+|[0-9]|[^\W\d_]|[^\w\s]|\s+|_")
_LETTERS_OF_A_TOKEN = 5
"""Common English words are one token up to here; longer ones are two or more."""

CountKind: TypeAlias = Literal["exact", "estimate"]


class TokenCounter(NamedTuple):
    """Who counted tokens. `exact`: they are what the model will report."""

    name: str
    kind: CountKind


ESTIMATE: Final = TokenCounter("words", "estimate")


class TokenReport(NamedTuple):
    """What was estimated for a prompt without a correction, and what the model has reported."""

    estimated: int
    reported: int


def estimate_tokens(text: str) -> int:
    """Returns the estimated tokens of a text: its words, digits, signs and letters of other scripts."""
    return sum(_tokens(part) for part in _PARTS.findall(text))


def correction(newest: Iterable[TokenReport]) -> float:
    """Returns the factor for estimates by the newest prompts that a model has counted: their largest ratio.

    So an estimate is rather too large than too small (platform 24).
    """
    return max((each.reported / each.estimated for each in newest), default=1.0)


def _tokens(part: str) -> int:
    if part.isspace():
        return 1 if "\n" in part or len(part) > 1 else 0
    return ceil(len(part) / _LETTERS_OF_A_TOKEN) if part.isascii() else 1
