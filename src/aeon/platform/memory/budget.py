"""Chooses what fits a prompt's token budget: whole units, in the order of platform 24. Pure."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from aeon.platform.conversations.model import Alternative, Speaker
from aeon.platform.memory.prompt_files import PromptFile

MESSAGE_OVERHEAD = 5
"""Tokens around each message in common chat templates."""


FILE_SHARE: Final = 0.75
"""The share of a budget that attachments get at most, so that what follows a large one has room and leaves its cut."""


class PathEntry(NamedTuple):
    """One alternative of the path, with what of its attachments is shown.

    `is_reference`: it stands in the conversation that this one was forked from.
    """

    alternative: Alternative
    tokens: int
    is_reference: bool
    files: tuple[PromptFile, ...] = ()

    def counted(self, tokens: int) -> "PathEntry":
        """The same with exact tokens, of which its attachments get their shares."""
        share = tokens / self.tokens if self.tokens else 0
        files = tuple(each._replace(tokens=round(each.tokens * share)) for each in self.files)
        return self._replace(tokens=tokens, files=files)

    @property
    def text(self) -> str:
        """Its content; empty if it has none."""
        return self.alternative.content or ""

    @property
    def speaker(self) -> Speaker:
        """The speaker of the message, or of its turn if the message has none."""
        return self.alternative.said_by or self.alternative.turn.speaker


LeftOutReason: TypeAlias = Literal[
    "budget", "erased", "generating", "failed", "empty", "not_said", "after_message", "no_question"
]
"""Why an entry is left out.

`generating`: an answer that is being made, which has no text yet; `failed`: one that never got a text;
`not_said`: it is a system prompt, or a tool's call or result, of an import; `after_message`: an answer that stands
between the message and the answer that is made again; `no_question`: an answer whose question does not fit.
"""


class LeftOut(NamedTuple):
    """An alternative of the path that does not enter the prompt, and why."""

    entry: PathEntry
    reason: LeftOutReason


FillEntry: TypeAlias = Callable[[PathEntry, float], PathEntry]
"""Returns an entry with as much of its attachments as fits into a number of tokens."""


def without_files(entry: PathEntry, _room: float) -> PathEntry:
    """Returns an entry as it is."""
    return entry


class Selection(NamedTuple):
    """What enters a prompt, oldest first, and what does not."""

    entries: list[PathEntry]
    left_out: list[LeftOut]
    tokens: int


def select_entries(
    entries: Sequence[PathEntry], fixed_tokens: int, budget: int, fill: FillEntry = without_files
) -> Selection:
    """Returns the newest entries that fit the budget beside `fixed_tokens`, without gaps.

    The newest of the user's, the message itself, always enters and is the last. An answer whose question does not fit
    is left out with it. Each entry gets what of its attachments fits, the newest first (platform 24).
    """
    message = _place_of_message(entries)
    kept: list[PathEntry] = []
    left_out: list[LeftOut] = []
    tokens, is_full = fixed_tokens, False
    room_for_files = FILE_SHARE * budget
    for place, entry in reversed([*enumerate(entries)]):
        if (reason := _reason_to_skip(entry, place - message)) is not None:
            left_out.append(LeftOut(entry, reason))
            continue
        is_full = is_full or (place < message and tokens + entry.tokens > budget)
        if is_full:
            left_out.append(LeftOut(entry, "budget"))
            continue
        filled = fill(entry, min(room_for_files, budget - tokens - entry.tokens))
        room_for_files -= filled.tokens - entry.tokens
        kept.append(filled)
        tokens += filled.tokens
    while len(kept) > 1 and kept[-1].speaker != "user":
        first = kept.pop()
        tokens -= first.tokens
        left_out.append(LeftOut(first, "no_question"))
    return Selection(kept[::-1], left_out[::-1], tokens)


def reason_left_out(entry: PathEntry) -> LeftOutReason:
    """Returns why an entry before the message is left out that no summary stands for."""
    return _reason_to_skip(entry, -1) or "budget"


def _place_of_message(entries: Sequence[PathEntry]) -> int:
    """Returns where what is answered stands: the newest entry of the user's, else the last one."""
    places = (place for place in reversed(range(len(entries))) if entries[place].alternative.said_by == "user")
    return next(places, len(entries) - 1)


def _reason_to_skip(entry: PathEntry, distance: int) -> LeftOutReason | None:
    """Returns why an entry never enters a prompt; `distance` is how far after the message it stands."""
    content = entry.alternative.content
    if content is None:
        return _reason_without_content(entry.alternative)
    if distance == 0:
        return None
    if not content.strip():  # of an import: nodes without a text
        return "empty"
    if entry.alternative.said_by is None:
        return "not_said"
    return "after_message" if distance > 0 else None


def _reason_without_content(alternative: Alternative) -> LeftOutReason:
    if alternative.forgotten_at is not None:
        return "erased"
    return "generating" if alternative.state == "generating" else "failed"
