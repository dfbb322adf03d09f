"""Chooses what enters a prompt by exact counts of its tokens: whole messages, and whole parts of attachments."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from aeon.llm.interface import LLMRequest, TokenCounts
from aeon.platform.memory.budget import FILE_SHARE, PathEntry, Selection, select_entries
from aeon.platform.memory.estimate import TokenCounter
from aeon.platform.memory.path_files import PathFiles

_SLACK: Final = 2
"""How many times the budget of estimated tokens is counted exactly, since an estimate may be too large."""

_CUTS: Final = 4
"""How often a cut of attachments is counted until it fits; then nothing of them is shown."""

_MARGIN: Final = 1.02
"""How much smaller a cut is made than the count of the one before asks for."""

CountTokens: TypeAlias = Callable[[LLMRequest], TokenCounts | None]
"""Counts the tokens of a request's messages, the system prompt first; None if it cannot."""

MakeRequest: TypeAlias = Callable[[Sequence[PathEntry]], LLMRequest]
"""Makes the request with these messages."""


class Candidates(NamedTuple):
    """What may enter a prompt, by estimated tokens."""

    entries: list[PathEntry]
    system_tokens: int
    budget: int
    files: PathFiles

    def selection(self, budget: int) -> Selection:
        """What of it fits."""
        return select_entries(self.entries, self.system_tokens, budget, self.files.fill)

    def without_parts(self) -> Selection:
        """What of it fits if nothing of the attachments is shown."""
        return select_entries(self.entries, self.system_tokens, self.budget, lambda entry, _: self.files.fill(entry, 0))


class CountedSelection(NamedTuple):
    """What enters a prompt by exact counts, and the tokens of the instructions."""

    chosen: Selection
    system_tokens: int
    counter: TokenCounter


def select_counted(request: MakeRequest, candidates: Candidates, count: CountTokens) -> CountedSelection | None:
    """Returns which candidates fit by exact counts; None if nobody can count.

    What is left is counted again after each cut, so that the sum is what the model will report.
    """
    chosen = _with_fitting_files(request, candidates, count)
    entries, left_out = chosen.entries, chosen.left_out
    while (counts := count(request(entries))) is not None:
        exact = counted_entries(entries, counts)
        fitting = select_entries(exact, counts.messages[0], candidates.budget)
        if not fitting.left_out:
            kept = Selection(exact, left_out, fitting.tokens)
            return CountedSelection(kept, counts.messages[0], TokenCounter(counts.counter, "exact"))
        entries, left_out = fitting.entries, [*left_out, *fitting.left_out]
    return None


def _with_fitting_files(request: MakeRequest, candidates: Candidates, count: CountTokens) -> Selection:
    """Returns candidates whose attachments fit by exact counts.

    A cut that turns out too large is made smaller, by how much the messages that have attachments were: so it is the
    same in the next turn.
    """
    if not candidates.files:
        return candidates.selection(_SLACK * candidates.budget)
    for _ in range(_CUTS):
        chosen = candidates.selection(candidates.budget)
        counts = count(request(chosen.entries))
        if counts is None:
            return chosen
        exact = counted_entries(chosen.entries, counts)
        if _files_fit(exact, counts.messages[0], candidates.budget):
            return chosen
        excess = (
            after.tokens / before.tokens for before, after in zip(chosen.entries, exact, strict=True) if after.files
        )
        candidates.files.factor *= _MARGIN * max([1.0, *excess])
    return candidates.without_parts()


def counted_entries(entries: Sequence[PathEntry], counts: TokenCounts) -> list[PathEntry]:
    """Returns entries with their exact tokens; those of the instructions come first in the counts."""
    return [entry.counted(tokens) for entry, tokens in zip(entries, counts.messages[1:], strict=True)]


def _files_fit(entries: Sequence[PathEntry], system_tokens: int, budget: int) -> bool:
    """Whether attachments have no more than their share, and room beside what follows them."""
    first = next((place for place, entry in enumerate(entries) if any(file.tokens for file in entry.files)), None)
    if first is None:
        return True
    tokens = sum(file.tokens for entry in entries for file in entry.files)
    return tokens <= FILE_SHARE * budget and system_tokens + sum(each.tokens for each in entries[first:]) <= budget
