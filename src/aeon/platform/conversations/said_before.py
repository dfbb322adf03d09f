"""The messages that a caller believes to stand before a new one: the conversation must have them there."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from aeon.platform.conversations.turn_reader import path_in
from aeon.platform.errors import RuleError
from aeon.platform.records import replace_unstorable
from aeon.platform.store import UnitOfWork

_WINDOW: Final = 200


class Said(NamedTuple):
    """A message as a caller knows it. White space around its text does not count."""

    speaker: Literal["user", "agent"]
    text: str


def require_said(unit: UnitOfWork, user: str, tip: str | None, earlier: Sequence[Said]) -> None:
    """Raises RuleError unless the path that ends at `tip` ends with these messages.

    System prompts, and calls and results of an import, are no messages of the path.
    """
    wanted = [Said(each.speaker, replace_unstorable(each.text).strip()) for each in earlier]
    if wanted != [*islice(_newest(unit, user, tip), len(wanted))][::-1]:
        raise RuleError(
            "The earlier messages are not the last ones of the conversation.",
            rule="said_before",
            next_step="Send the last message alone, or after the messages that the conversation has.",
        )


def _newest(unit: UnitOfWork, user: str, tip: str | None) -> Iterator[Said]:
    """Yield the messages of a path, newest first."""
    skip = 0
    while tip is not None and (window := path_in(unit, user, tip, _WINDOW, skip)):
        for each in reversed(window):
            if each.said_by is not None:
                yield Said(each.said_by, (each.content or "").strip())
        skip += _WINDOW
