"""Conversations, turns and alternatives as their users see them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field, StrictBool

from aeon.base.json import Json, JsonObject, json_digest
from aeon.platform.records import TAG, Name, Record

ConversationStatus: TypeAlias = Literal["active", "archived"]
Speaker: TypeAlias = Literal["user", "agent", "system"]
TurnType: TypeAlias = Literal["message", "tool_result", "summary"]
AlternativeState: TypeAlias = Literal["generating", "complete", "stopped", "failed"]

ANSWERABLE: Final = frozenset({"complete", "stopped"})
"""The states of alternatives that can be answered (platform 22)."""

_SPEAKERS_OF_ROLES: Final[Mapping[str, Literal["user", "agent"] | None]] = {
    "user": "user",
    "assistant": "agent",
    "system": None,
    "tool": None,
}
"""The speaker of an imported message by its own role, which may differ from that of its turn."""

MAX_CONTENT: Final = 1_000_000
"""The most characters of a message."""

Tag = Annotated[str, Field(min_length=1, max_length=50, pattern=TAG)]


class Conversation(Record):
    """A user's dialogue tree. `tip_id` is the alternative at which the visible path ends (platform 22)."""

    stored_as_text: ClassVar[frozenset[str]] = frozenset({"tags"})

    id: str
    owner_id: str
    title: str | None = None
    title_by: Literal["user", "model"] | None = None
    status: ConversationStatus = "active"
    pinned: bool = False
    tags: list[str] = Field(default_factory=list[str])
    tip_id: str | None = None
    default_process_id: str | None = None
    default_process_since: str | None = None
    forked_from_id: str | None = None
    origin_turn_id: str | None = None
    origin_alternative_id: str | None = None
    context_budget: int | None = None
    import_key: str | None = None
    version: int = 1
    created_at: str
    updated_at: str


class NewConversation(Record):
    """What a user says of a new conversation."""

    title: Name | None = None
    tags: list[Tag] = Field(default_factory=list[str], max_length=50)
    pinned: StrictBool = False
    context_budget: int | None = Field(default=None, ge=256, description="tokens of a prompt, at most")


class ConversationChange(Record):
    """A change of a conversation: only the given fields."""

    title: Name | None = None
    tags: list[Tag] | None = Field(default=None, max_length=50)
    pinned: StrictBool | None = None
    status: ConversationStatus | None = None
    context_budget: int | None = Field(default=None, ge=256)

    def requested_fields(self) -> JsonObject:
        """The given fields under their published names; a title and a budget can be removed, by None."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class Turn(NamedTuple):
    """A place in the tree. `sequence` is its depth; the root's is 1 (platform 11)."""

    id: str
    conversation_id: str
    parent_id: str | None
    via_alternative_id: str | None
    sequence: int
    speaker: Speaker
    turn_type: TurnType


class Alternative(NamedTuple):
    """One attempt at a turn: its content, its state, and what made it.

    `is_stale` is derived: it responds to an alternative that is not the active one of its turn. `failure` says why it
    has no content; `marks` say what was unusual about the answer (core 17). `process_id` is the EXECUTED_BY edge,
    `process_digest` the Process's definition at that time. `imported` holds what an import knew besides, such as the
    role, or that it was hidden. What was erased has no content, and keeps when and by whom (platform 28).
    """

    id: str
    turn: Turn
    sequence: int
    is_active: bool
    is_stale: bool
    responds_to_id: str | None
    state: AlternativeState
    content: str | None
    process_id: str | None
    process_digest: str | None
    run_id: str | None
    model: str | None
    usage: JsonObject
    marks: list[str]
    failure: str | None
    created_at: str
    ended_at: str | None
    forgotten_at: str | None
    forgotten_by: str | None
    imported: JsonObject
    path_hash: str | None

    @property
    def conversation_id(self) -> str:
        """The conversation that it belongs to."""
        return self.turn.conversation_id

    @property
    def said_by(self) -> Literal["user", "agent"] | None:
        """The speaker of the message; None for system prompts, and for calls, results and thoughts of an import."""
        if self.imported.get("recipient") or self.imported.get("isThought"):
            return None
        role = self.imported.get("role")
        if role in _SPEAKERS_OF_ROLES:
            return _SPEAKERS_OF_ROLES[role]
        if self.turn.speaker == "system" or self.turn.turn_type != "message":
            return None
        return self.turn.speaker

    @property
    def is_cut_off(self) -> bool:
        """Whether the model's token limit cut it off."""
        return self.usage.get("finishReason") == "length"

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "id": self.id,
            "turnId": self.turn.id,
            "conversationId": self.turn.conversation_id,
            "speaker": self.turn.speaker,
            "depth": self.turn.sequence,
            "sequence": self.sequence,
            "isActive": self.is_active,
            "cacheStatus": self.cache_status,
            "respondsTo": self.responds_to_id,
            "state": self.state,
            "content": self.content,
            "executedBy": self.process_id,
            "processDigest": self.process_digest,
            "runId": self.run_id,
            "model": self.model,
            "usage": self.usage,
            "marks": self.marks,
            "failure": self.failure,
            "createdAt": self.created_at,
            "endedAt": self.ended_at,
            "forgottenAt": self.forgotten_at,
            "forgottenBy": self.forgotten_by,
            "imported": self.imported,
        }

    @property
    def cache_status(self) -> Literal["valid", "stale", "generating"]:
        """What the specification calls `cacheStatus`."""
        if self.state == "generating":
            return "generating"
        return "stale" if self.is_stale else "valid"


def content_digest(content: str) -> str:
    """Returns the digest of a text, as `contentHash` keeps it."""
    return hashlib.sha256(content.encode()).hexdigest()


def path_digest(parent: str | None, speaker: Speaker, content_hash: str, attached: Sequence[str] = ()) -> str:
    """Returns the digest of a path up to an alternative.

    It covers its parent's digest, its speaker, its content and the digests of what is `attached`.
    """
    parts: list[Json] = [parent, speaker, content_hash, *([list[Json](attached)] if attached else [])]
    return json_digest(parts)
