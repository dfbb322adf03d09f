"""A conversation as an import writes it: turns, alternatives, and what of the source could not be kept. Pure."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from aeon.base.json import JsonObject
from aeon.platform.conversations.attachments import NewAttachment
from aeon.platform.conversations.model import AlternativeState, ConversationStatus, Speaker, TurnType

SourceFormat: TypeAlias = Literal["chatgpt", "claude", "open_webui", "aeon"]


class BrokenConversationError(ValueError):
    """A conversation of a file cannot be read; the text says what is wrong and where in it."""


class TreeAlternative(NamedTuple):
    """An alternative to write. Ids are those of the source; `imported` is what the source knew besides."""

    id: str
    responds_to: str | None
    is_active: bool
    state: AlternativeState
    content: str | None
    model: str | None
    usage: JsonObject
    marks: list[str]
    failure: str | None
    created_at: str
    ended_at: str
    forgotten_at: str | None
    imported: JsonObject
    attachments: tuple[NewAttachment, ...] = ()


class TreeTurn(NamedTuple):
    """A turn to write, with all its alternatives in order. Its parent stands before it in the tree."""

    id: str
    parent: str | None
    via: str | None
    speaker: Speaker
    turn_type: TurnType
    alternatives: list[TreeAlternative]


class TreeOrigin(NamedTuple):
    """What a fork was forked from: ids of the source, and the import key of that conversation."""

    conversation: str
    turn: str
    alternative: str
    import_key: str
    title: str | None


class ConversationTree(NamedTuple):
    """A whole conversation to write.

    `key` names it in its source, so that it is imported once for each user (platform 27). `own_id` is the id in the
    record that it was exported from. `tip` is the alternative at which its visible path ends. `not_kept` counts what
    could not be kept, by kind; `remarks` say what stands elsewhere than in the source.
    """

    source: SourceFormat
    key: str
    own_id: str | None
    title: str | None
    title_by: Literal["user", "model"] | None
    status: ConversationStatus
    pinned: bool
    tags: list[str]
    context_budget: int | None
    created_at: str | None
    updated_at: str | None
    tip: str | None
    origin: TreeOrigin | None
    turns: list[TreeTurn]
    not_kept: Counter[str]
    remarks: Counter[str]

    def alternatives(self) -> Iterator[TreeAlternative]:
        """Yields all alternatives, those of a parent turn before those of its children."""
        for turn in self.turns:
            yield from turn.alternatives
