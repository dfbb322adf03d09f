"""Reads what may stand before the oldest message of a prompt: the user's notes, and the summaries of a path."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.conversations.model import Alternative
from aeon.platform.conversations.repository import ConversationRepository
from aeon.platform.errors import ConflictError
from aeon.platform.introspection.repository import NoteReader
from aeon.platform.knowledge.settings import is_on
from aeon.platform.memory.preface import Preface, PromptNote, PromptSummary, chosen_notes
from aeon.platform.memory.summarized_selection import PlacedText
from aeon.platform.store import Store
from aeon.platform.summaries.repository import SummaryReader

FORK_DEPTH: Final = 20
"""The most conversations that a fork continues, one from the other."""


class PathEnds(NamedTuple):
    """Where a path ends in each conversation that it runs through, root first: a fork continues another."""

    alternatives: list[str]
    conversations: list[str]


class PrefaceReader:
    """Reads notes and summaries for prompts. Threads may share it. Every method raises StoreError."""

    def __init__(self, store: Store, conversations: ConversationRepository) -> None:
        self._store = store
        self._conversations = conversations
        self._summaries = SummaryReader(store)
        self._notes = NoteReader(store)

    def notes(self, user: str, budget: int) -> tuple[PromptNote, ...]:
        """Return the notes for a prompt of this budget; none where introspection is off."""
        return chosen_notes(self._notes.carousel(user), budget) if is_on(self._store, user, "introspection") else ()

    def path_ends(self, user: str, end: Alternative) -> PathEnds:
        """Return the ends of the path to an alternative."""
        found = PathEnds([end.id], [end.conversation_id])
        for _ in range(FORK_DEPTH):
            fork = self._conversations.get(user, found.conversations[0])
            if fork.origin_alternative_id is None or fork.forked_from_id is None:
                break
            found.alternatives.insert(0, fork.origin_alternative_id)
            found.conversations.insert(0, fork.forked_from_id)
        return found

    def cover(self, user: str, message: Alternative, loaded: int) -> tuple[int, list[PlacedText]]:
        """Return the summaries of what is before a message; `loaded` is how many alternatives of its path are loaded.

        Also returns how many were not loaded, which is 0 without summaries.
        """
        ends = self.path_ends(user, message)
        length, placed = self._summaries.cover(user, ends.alternatives, ends.conversations)
        placed = [each for each in placed if each.end < length - 1]
        older = max(0, length - loaded)
        texts = self._summaries.texts(user, [each.summary.id for each in placed])
        return older, [
            PlacedText(PromptSummary.of(each, texts[each.summary.id]), each.begin - older, each.end + 1 - older)
            for each in placed
        ]

    def kept(self, user: str, manifest: JsonObject) -> Preface:
        """Return the notes and summaries that a manifest names. Raises ConflictError if one was erased."""
        notes: Sequence[JsonObject] = manifest.get("notes", [])
        summaries: Sequence[JsonObject] = manifest.get("summaries", [])
        texts = self._summaries.episode_texts(user, [each["episode"] for each in (*notes, *summaries)])
        if None in texts.values():
            raise ConflictError("Something that the answer was made from was erased.")
        return Preface(
            tuple(PromptNote.from_json(each, texts[each["episode"]] or "") for each in notes),
            tuple(PromptSummary.from_json(each, texts[each["episode"]] or "") for each in summaries),
        )
