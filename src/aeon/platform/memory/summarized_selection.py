"""Chooses summaries in place of the turns that do not fit a prompt: the newest turns stay whole (platform 24)."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final, NamedTuple, TypeAlias

from aeon.llm.interface import LLMRequest
from aeon.platform.memory.budget import LeftOut, PathEntry, Selection, reason_left_out
from aeon.platform.memory.estimate import ESTIMATE, TokenCounter
from aeon.platform.memory.exact_selection import Candidates, CountTokens, counted_entries, select_counted
from aeon.platform.memory.preface import Preface, PromptNote, PromptSummary
from aeon.platform.summaries.windows import SUMMARY_SHARE

_TRIES: Final = 5
"""How often a choice is counted until it fits; after that, no summary is used."""

_MARGIN: Final = 0.98
"""How much less room there is at the next try than the count of the one before asks for."""

MakePrompt: TypeAlias = Callable[[Sequence[PathEntry], Preface], LLMRequest]
"""Makes the request with these messages, and what stands before them."""


class PlacedText(NamedTuple):
    """A summary for a prompt: it stands for the candidates from `begin` on and before `end`.

    They are negative for what is older than the oldest candidate.
    """

    summary: PromptSummary
    begin: int
    end: int


class PromptSelection(NamedTuple):
    """What enters a prompt, the tokens of the instructions, and who counted.

    The tokens of the oldest entry are also those of the preface.
    """

    chosen: Selection
    preface: Preface
    system_tokens: int
    counter: TokenCounter


class _Plan(NamedTuple):
    chosen: Selection
    preface: Preface


class SummarizedPath(NamedTuple):
    """The candidates for a prompt, notes, and the summaries that stand for the path, oldest first.

    `is_whole`: no part of the path is older than the candidates. `factor` corrects estimates.
    """

    candidates: Candidates
    notes: tuple[PromptNote, ...]
    cover: Sequence[PlacedText]
    factor: float
    is_whole: bool

    def select(self, request: MakePrompt, count: CountTokens) -> PromptSelection:
        """Return what enters the prompt: all, if it fits."""
        plain = self._plain(request, count)
        fits = self.is_whole and all(each.reason != "budget" for each in plain.chosen.left_out)
        return plain if fits or not self.cover else self._summarized(request, count, plain)

    def _summarized(self, request: MakePrompt, count: CountTokens, plain: PromptSelection) -> PromptSelection:
        """Return what enters the prompt with summaries; `plain` if they do not fit."""
        budget = self.candidates.budget
        room = budget / self._excess(plain)
        for _ in range(_TRIES):
            plan = self._plan(room)
            if (counts := count(request(plan.chosen.entries, plan.preface))) is None:
                return self._estimated(plan) if plan.chosen.tokens <= budget else plain
            total = sum(counts.messages)
            if total <= budget:
                chosen = Selection(counted_entries(plan.chosen.entries, counts), plan.chosen.left_out, total)
                return PromptSelection(chosen, plan.preface, counts.messages[0], TokenCounter(counts.counter, "exact"))
            room *= _MARGIN * budget / total
        return plain

    def _plain(self, request: MakePrompt, count: CountTokens) -> PromptSelection:
        """Return what fits without summaries; without notes if the message alone leaves no room for them."""
        for notes in (self.notes, ()):
            preface = Preface(notes)
            tokens = self._tokens(preface)
            candidates = self.candidates._replace(system_tokens=self.candidates.system_tokens + tokens)
            counted = select_counted(lambda entries, before=preface: request(entries, before), candidates, count)
            found = (
                self._estimated(_Plan(candidates.selection(candidates.budget), preface))
                if counted is None
                else PromptSelection(counted.chosen, preface, counted.system_tokens, counted.counter)
            )
            if found.chosen.tokens <= candidates.budget or not notes:
                return found
        raise AssertionError  # the loop has returned

    def _excess(self, plain: PromptSelection) -> float:
        """Return how much more tokens the exact count finds than the estimate."""
        kept = {each.alternative.id for each in plain.chosen.entries}
        entries = sum(each.tokens for each in self.candidates.entries if each.alternative.id in kept)
        estimated = self.candidates.system_tokens + entries + self._tokens(plain.preface)
        return max(0.1, plain.chosen.tokens / max(1, estimated)) if plain.counter.kind == "exact" else 1.0

    def _plan(self, room: float) -> _Plan:
        """Return the most whole turns before which summaries have room for all that is older.

        If not all summaries fit, the highest of them that fit their share, the newest of equals first.
        """
        for number in range(1, len(self.cover) + 1):
            used = self.cover[:number]
            if used[-1].end >= 0 and (plan := self._with(used, room)) is not None:
                return plan
        share: float = SUMMARY_SHARE * room
        chosen: list[PlacedText] = []
        for each in sorted(self.cover, key=lambda each: (-each.summary.level, -each.end)):
            if (tokens := ceil(each.summary.tokens * self.factor)) <= share:
                chosen.append(each)
                share -= tokens
        return self._best([each for each in self.cover if each in chosen], self.cover[-1].end, room)

    def _with(self, used: Sequence[PlacedText], room: float) -> _Plan | None:
        """Return these summaries and all turns after them; None if they do not fit."""
        later = sum(each.tokens for each in self.candidates.entries[used[-1].end :])
        if self.candidates.system_tokens + self._tokens(self._preface(used)) + later > room:
            return None
        return self._best(used, used[-1].end, room)

    def _best(self, used: Sequence[PlacedText], end: int, room: float) -> _Plan:
        """Return these summaries and what fits of the turns from `end` on."""
        preface, start = self._preface(used), max(0, end)
        later = self.candidates._replace(
            entries=self.candidates.entries[start:],
            system_tokens=self.candidates.system_tokens + self._tokens(preface),
        )
        chosen = later.selection(int(room))
        summarized = {place for each in used for place in range(max(0, each.begin), max(0, each.end))}
        missing = [
            LeftOut(entry, reason_left_out(entry))
            for place, entry in enumerate(self.candidates.entries[:start])
            if place not in summarized
        ]
        return _Plan(chosen._replace(left_out=[*missing, *chosen.left_out]), preface)

    def _preface(self, used: Sequence[PlacedText]) -> Preface:
        return Preface(self.notes, tuple(each.summary for each in used))

    def _tokens(self, preface: Preface) -> int:
        return ceil(preface.tokens * self.factor)

    def _estimated(self, plan: _Plan) -> PromptSelection:
        """Return a plan by estimates; its oldest entry gets the tokens of the preface, which are in the sum."""
        chosen, tokens = plan.chosen, self._tokens(plan.preface)
        entries = [*chosen.entries]
        if entries:
            entries[0] = entries[0]._replace(tokens=entries[0].tokens + tokens)
        return PromptSelection(chosen._replace(entries=entries), plan.preface, self.candidates.system_tokens, ESTIMATE)
