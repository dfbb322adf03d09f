"""Chooses what fits a prompt's token budget: whole units, in the order of platform 24. Pure."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from aeon.platform.conversations.model import Alternative, Speaker

CountKind: TypeAlias = Literal["exact", "estimate"]


class TokenCounter(NamedTuple):
    """Who counted tokens. `exact`: they are what the model will report."""

    name: str
    kind: CountKind


MESSAGE_OVERHEAD = 5
"""Tokens around each message in common chat templates."""


class PathEntry(NamedTuple):
    """One alternative of the path. `is_reference`: it stands in the conversation that this one was forked from."""

    alternative: Alternative
    tokens: int
    is_reference: bool

    @property
    def text(self) -> str:
        """Its content; empty if it was erased."""
        return self.alternative.content or ""

    @property
    def speaker(self) -> Speaker:
        """The speaker of its turn."""
        return self.alternative.turn.speaker


LeftOutReason: TypeAlias = Literal["budget", "erased", "empty", "no_question"]


class LeftOut(NamedTuple):
    """An alternative of the path that does not enter the prompt, and why."""

    entry: PathEntry
    reason: LeftOutReason


class Selection(NamedTuple):
    """What enters a prompt, oldest first, and what does not."""

    entries: list[PathEntry]
    left_out: list[LeftOut]
    tokens: int


def select_entries(entries: Sequence[PathEntry], fixed_tokens: int, budget: int) -> Selection:
    """Returns the newest entries that fit the budget beside `fixed_tokens`, without gaps.

    The last one, the message itself, always enters. An answer whose question does not fit is left out with it.
    """
    kept: list[PathEntry] = []
    left_out: list[LeftOut] = []
    tokens, is_full = fixed_tokens, False
    for place, entry in enumerate(reversed(entries)):
        if entry.alternative.content is None:
            left_out.append(LeftOut(entry, "erased"))
            continue
        if place > 0 and not entry.alternative.content.strip():  # of an import: nodes without a text
            left_out.append(LeftOut(entry, "empty"))
            continue
        is_full = is_full or (place > 0 and tokens + entry.tokens > budget)
        if is_full:
            left_out.append(LeftOut(entry, "budget"))
            continue
        kept.append(entry)
        tokens += entry.tokens
    while len(kept) > 1 and kept[-1].speaker != "user":
        first = kept.pop()
        tokens -= first.tokens
        left_out.append(LeftOut(first, "no_question"))
    return Selection(kept[::-1], left_out[::-1], tokens)
