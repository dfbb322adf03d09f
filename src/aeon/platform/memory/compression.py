"""What of a conversation is to be compressed next, and the texts that a model gets for it (platform 15)."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final, NamedTuple

from aeon.llm.material import MAX_MATERIAL, without_end_mark
from aeon.platform.conversations.model import Alternative, Speaker
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.conversations.turns import TurnRepository
from aeon.platform.memory.budget import MESSAGE_OVERHEAD
from aeon.platform.memory.estimate import estimate_tokens
from aeon.platform.memory.preface_reader import PrefaceReader
from aeon.platform.memory.working_memory import MemoryService, ReplyForm
from aeon.platform.store import Store
from aeon.platform.summaries.checks import SourceText
from aeon.platform.summaries.model import CoveredSpan, PathEpisode, Window
from aeon.platform.summaries.repository import SummaryRepository
from aeon.platform.summaries.windows import next_window, target_tokens

_WORDS_OF_A_TOKEN: Final = 0.75
_CHARACTERS_OF_A_TOKEN: Final = 2
"""Characters of a text that surely fit one token of a budget, for most languages."""

_LONGEST_PATH: Final = 50_000
"""The most alternatives of a path that are looked at."""

_GAP: Final = " [...] "
_SPEAKERS: Final[Mapping[Speaker, str]] = {"user": "User", "agent": "Assistant", "system": "System"}


class PlannedSummary(NamedTuple):
    """A summary that is to be made: of which texts, and about how many words and characters it should have."""

    span: CoveredSpan
    parts: list[SourceText]
    text: str
    words: int
    size: int


class CompressionPlanner:
    """Plans the summaries of conversations. Threads may share it.

    Every method raises StoreError, and NotFoundError for what the user may not see.
    """

    def __init__(
        self,
        store: Store,
        conversations: ConversationRepository,
        turns: TurnRepository,
        memory: MemoryService,
        summaries: SummaryRepository,
    ) -> None:
        self._conversations = conversations
        self._turns = turns
        self._memory = memory
        self._summaries = summaries
        self._prefaces = PrefaceReader(store, conversations)

    def next_summary(self, user: str, conversation: str, form: ReplyForm) -> PlannedSummary | None:
        """Return what of the visible path is to be compressed now; None while it fits the budget of answers."""
        found = self._conversations.get(user, conversation)
        if found.tip_id is None:
            return None
        tip = self._turns.get(user, found.tip_id)
        budget = min(form.room, found.context_budget or form.room)
        path = self._memory.path_to(user, tip, _LONGEST_PATH)
        factor = self._memory.estimate_factor(user, path)
        ends = self._prefaces.path_ends(user, tip)
        _, placed = self._summaries.on_path(user, ends.alternatives, ends.conversations)
        episodes = [_episode(each, factor) for each in path]
        fixed = ceil(estimate_tokens(form.system_prompt) * factor) + MESSAGE_OVERHEAD
        window = next_window(episodes, placed, fixed_tokens=fixed, budget=budget)
        if window is None:
            return None
        span = _span(window, path, conversation)
        parts = self.parts(user, span)
        text = _text(parts, min(MAX_MATERIAL, _CHARACTERS_OF_A_TOKEN * budget))
        target = target_tokens(window, budget)
        size = int(len(text) * target / max(1, window.tokens))
        return PlannedSummary(span, parts, text, max(1, int(target * _WORDS_OF_A_TOKEN / factor)), size)

    def parts(self, user: str, span: CoveredSpan) -> list[SourceText]:
        """Return the texts of a span as they are now, in order; nothing of what was erased."""
        if span.level > 1:
            texts = self._summaries.texts(user, span.summaries)
            return [SourceText("", text) for each in span.summaries if each in texts and (text := texts[each].text)]
        found = {each.id: each for each in self._turns.list_by_ids(user, [*span.alternatives])}
        messages = [found[each] for each in span.alternatives if each in found]
        return [SourceText(_SPEAKERS[each.said_by], each.content) for each in messages if each.said_by and each.content]


def _episode(alternative: Alternative, factor: float) -> PathEpisode:
    text = alternative.content or "" if alternative.said_by is not None else ""
    tokens = ceil((estimate_tokens(text) + MESSAGE_OVERHEAD) * factor) if text.strip() else 0
    digest = alternative.path_hash or alternative.id
    place = alternative.id, alternative.turn.id, alternative.conversation_id
    return PathEpisode(*place, alternative.said_by, text, tokens, digest)


def _span(window: Window, path: Sequence[Alternative], conversation: str) -> CoveredSpan:
    if window.summaries:
        first, last_id = window.summaries[0].summary.first, window.summaries[-1].summary.last
    else:
        first, last_id = window.episodes[0].alternative, window.episodes[-1].alternative
    last = next(each for each in path if each.id == last_id)
    taken = {each.alternative for each in window.episodes}
    erased = [each.forgotten_at for each in path if each.id in taken and each.forgotten_at is not None]
    return CoveredSpan(
        window.level,
        last.conversation_id,
        conversation,
        first,
        last.id,
        last.turn.id,
        last.path_hash or last.id,
        [each.alternative for each in window.episodes],
        [each.summary.id for each in window.summaries],
        max(erased, default=""),
    )


def _text(parts: Sequence[SourceText], most: int) -> str:
    """Return parts as one text; where they have more characters, the longest ones lose their middles."""
    longest = max((len(each.text) for each in parts), default=0)
    while longest > len(_GAP) and sum(min(len(each.text), longest) for each in parts) > most:
        longest = longest * 9 // 10
    passages = [(each.speaker, _shortened(each.text.strip(), longest)) for each in parts]
    text = "\n\n".join(f"{speaker}: {text}" if speaker else text for speaker, text in passages)
    return without_end_mark("conversation", text)


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    begin = max(1, (most - len(_GAP)) * 2 // 3)
    return f"{text[:begin]}{_GAP}{text[len(text) - begin // 2 :]}"
