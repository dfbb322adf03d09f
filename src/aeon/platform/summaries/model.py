"""Episodes of a path, and the summaries of them."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject
from aeon.platform.store import Row

MAX_LEVEL: Final = 5
"""The highest level of a summary (platform 15)."""

Said: TypeAlias = Literal["user", "agent"]


class PathEpisode(NamedTuple):
    """An alternative of a path, for its summary: `text` is empty if it has no speaker or was erased.

    `tokens` are those that it needs in a prompt.
    """

    alternative: str
    turn: str
    conversation: str
    said_by: Said | None
    text: str
    tokens: int
    path_digest: str


class Summary(NamedTuple):
    """A summary of all alternatives of a path from `first` to `last`.

    It holds on every path that contains `last`, since that has all others above it; `path_digest` is the digest of the
    path up to `last` (platform 38). What code made, because the model's summaries could not be used, has no Process.
    """

    id: str
    conversation_id: str
    level: int
    tokens: int
    first: str
    last: str
    path_digest: str
    process_id: str | None
    run_id: str | None
    created_at: str
    deleted_at: str | None

    @classmethod
    def from_row(cls, row: Row) -> "Summary":
        """The summary of a row."""
        return cls(
            row["id"],
            row["conversation_id"],
            row["level"],
            row["token_count"],
            row["first_alternative_id"],
            row["last_alternative_id"],
            row["path_digest"],
            row["process_id"],
            row["run_id"],
            row["created_at"],
            row["deleted_at"],
        )

    @property
    def is_extractive(self) -> bool:
        """Whether code has made it of the first sentences."""
        return self.process_id is None

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "id": self.id,
            "conversationId": self.conversation_id,
            "compressionLevel": self.level,
            "tokenCount": self.tokens,
            "firstAlternativeId": self.first,
            "lastAlternativeId": self.last,
            "pathDigest": self.path_digest,
            "processId": self.process_id,
            "runId": self.run_id,
            "isExtractive": self.is_extractive,
            "createdAt": self.created_at,
            "deletedAt": self.deleted_at,
        }


class PlacedSummary(NamedTuple):
    """A summary on a path: it stands for the places from `begin` to `end`; the root's place is 0."""

    summary: Summary
    begin: int
    end: int

    @property
    def episodes(self) -> int:
        """How many alternatives it stands for."""
        return self.end - self.begin + 1


class SummaryContent(NamedTuple):
    """A text of a summary: of its Process, or a repair by an operator. `text` is None if it was erased."""

    summary: str
    n: int
    episode: str
    text: str | None
    created_at: str
    created_by: Literal["process", "operator"]

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "n": self.n,
            "episodeId": self.episode,
            "content": self.text,
            "createdAt": self.created_at,
            "createdBy": self.created_by,
        }


class Window(NamedTuple):
    """What is compressed next into one summary: episodes for level 1, summaries for a higher one."""

    level: int
    episodes: Sequence[PathEpisode]
    summaries: Sequence[PlacedSummary]
    tokens: int


class CoveredSpan(NamedTuple):
    """What a summary that is being made will cover, as the run that makes it keeps it.

    `alternatives` are the sources of one of level 1, `summaries` those of a higher one. It is made for the path of the
    conversation `made_for`. `erased_until` is when something of it was last erased, before its text was taken.
    """

    level: int
    conversation: str
    made_for: str
    first: str
    last: str
    last_turn: str
    path_digest: str
    alternatives: Sequence[str]
    summaries: Sequence[str]
    erased_until: str

    def as_json(self) -> JsonObject:
        """As the input of a run."""
        return {
            "level": self.level,
            "conversation": self.conversation,
            "madeFor": self.made_for,
            "first": self.first,
            "last": self.last,
            "lastTurn": self.last_turn,
            "pathDigest": self.path_digest,
            "alternatives": list[Json](self.alternatives),
            "summaries": list[Json](self.summaries),
            "erasedUntil": self.erased_until,
        }

    @classmethod
    def from_json(cls, kept: JsonObject) -> "CoveredSpan":
        """The span that a run has kept."""
        return cls(
            kept["level"],
            kept["conversation"],
            kept["madeFor"],
            kept["first"],
            kept["last"],
            kept["lastTurn"],
            kept["pathDigest"],
            kept["alternatives"],
            kept["summaries"],
            kept["erasedUntil"],
        )


class NewSummary(NamedTuple):
    """A summary to write. Without a Process, code has made it."""

    span: CoveredSpan
    text: str
    tokens: int
    process_id: str | None
    run_id: str | None
