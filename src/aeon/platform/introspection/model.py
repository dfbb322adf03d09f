"""Notes of a carousel. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from aeon.base.json import Json, JsonObject

MAX_ROTATION: Final = 10
"""How many positions the carousel has."""

MAX_NOTE: Final = 400
"""The most characters of a note."""


class NoteSources(NamedTuple):
    """What a note came from, also through the notes that its maker was shown."""

    conversations: frozenset[str] = frozenset()
    summaries: frozenset[str] = frozenset()

    @classmethod
    def from_json(cls, kept: JsonObject) -> "NoteSources":
        """The sources that a note, or the run that makes it, has kept."""
        return cls(frozenset(kept.get("conversations", ())), frozenset(kept.get("summaries", ())))

    @classmethod
    def joined(cls, several: Iterable["NoteSources"]) -> "NoteSources":
        """The sources of all of these."""
        each = [*several]
        return cls(frozenset().union(*(s.conversations for s in each)), frozenset().union(*(s.summaries for s in each)))

    def as_json(self) -> JsonObject:
        """As a note keeps them."""
        return {
            "conversations": list[Json](sorted(self.conversations)),
            "summaries": list[Json](sorted(self.summaries)),
        }


class Note(NamedTuple):
    """A version of a slot. `text` is None if it was erased; an archived note is in no prompt."""

    id: str
    position: int
    version: int
    created_by: Literal["process", "user"]
    process_id: str | None
    run_id: str | None
    created_at: str
    archived_at: str | None
    context: str | None
    sources: NoteSources
    episode: str
    text: str | None

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "id": self.id,
            "carouselPosition": self.position,
            "version": self.version,
            "createdBy": self.created_by,
            "processId": self.process_id,
            "runId": self.run_id,
            "createdAt": self.created_at,
            "archivedAt": self.archived_at,
            "conversationContext": self.context,
            "sources": self.sources.as_json(),
            "episodeId": self.episode,
            "content": self.text,
        }


class NewNote(NamedTuple):
    """A note of a model to write, in place of the one at its position."""

    position: int
    text: str
    sources: NoteSources
    process_id: str
    run_id: str
    conversation: str
    context: str


def free_position(notes: Sequence[Note]) -> int | None:
    """Returns the first position that has no note; None if all have one."""
    taken = {each.position for each in notes}
    return next((position for position in range(MAX_ROTATION) if position not in taken), None)
