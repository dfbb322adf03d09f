"""Aeon's own form of an exported conversation, which imports to an equal tree (platform 27). Pure."""

from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Final, Literal

from pydantic import Field

from aeon.base.clock import normalize_instant
from aeon.base.json import JsonObject
from aeon.platform.conversations.attachments import MAX_ATTACHMENT, MAX_ATTACHMENTS, MAX_NAME, NewAttachment
from aeon.platform.conversations.importing.fields import object_of, storable
from aeon.platform.conversations.importing.tree import (
    BrokenConversationError,
    ConversationTree,
    TreeAlternative,
    TreeOrigin,
    TreeTurn,
)
from aeon.platform.conversations.model import ConversationStatus, Speaker, Tag, TurnType
from aeon.platform.errors import RuleError
from aeon.platform.records import Name, Record, replace_unstorable

FORMAT: Final = "aeon.conversation"
VERSION: Final = 1

_UNFINISHED: Final = "it was being made when the conversation was exported"

_NO_CONTENT: Final = "attachment of which the file has only the name"

_MOST_PROBLEMS: Final = 10
"""The most problems of one tree that are listed."""

Id = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]+$")]


class ExportedAttachment(Record):
    """What is attached to an exported message; without `content`, in base64, it is only listed."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    media_type: str = Field(max_length=100, pattern=r"^[a-z]+/[a-z0-9.+-]+$")
    size: int = Field(ge=1, le=MAX_ATTACHMENT)
    digest: str
    text: str | None = None
    content: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether its content, if it has one, can be read."""
        try:
            return self.content is None or bool(self.read())
        except ValueError:
            return False

    def read(self) -> NewAttachment:
        """Returns the file. Raises ValueError for content that is not base64 or not what size and digest say."""
        content = b64decode(self.content or "", validate=True)
        text = self.text
        if text is None and not self.media_type.startswith("image/"):
            text = content.decode()
        attached = NewAttachment(
            replace_unstorable(self.name), self.media_type, content, None if text is None else replace_unstorable(text)
        )
        if len(content) != self.size or attached.digest != self.digest:
            raise ValueError("its content is not what its size and digest say")
        return attached


class ExportedAlternative(Record):
    """An alternative of an exported turn. `executedBy` and `run` name what made it in its record."""

    id: Id
    responds_to: Id | None
    is_active: bool
    state: Literal["generating", "complete", "stopped", "failed"]
    content: str | None
    attachments: list[ExportedAttachment] = Field(default_factory=list[ExportedAttachment], max_length=MAX_ATTACHMENTS)
    model: str | None = None
    usage: JsonObject = Field(default_factory=JsonObject)
    marks: list[str] = Field(default_factory=list[str])
    failure: str | None = None
    executed_by: JsonObject | None = None
    run: str | None = None
    created_at: str
    ended_at: str | None
    forgotten_at: str | None = None
    imported: JsonObject = Field(default_factory=JsonObject)


class ExportedTurn(Record):
    """A turn of an exported conversation, with its alternatives in order. `via` is what it was made to answer."""

    id: Id
    parent: Id | None
    via: Id | None
    speaker: Speaker
    turn_type: TurnType
    alternatives: list[ExportedAlternative] = Field(min_length=1)


class ExportedOrigin(Record):
    """What a conversation was forked from."""

    conversation: Id
    turn: Id
    alternative: Id
    import_key: Id
    title: str | None = None


class ExportedConversation(Record):
    """A conversation in Aeon's own form: a line of an export. Parent turns stand before their children."""

    format: Literal["aeon.conversation"]
    version: Literal[1]
    id: Id
    import_key: Id
    title: Name | None = None
    title_by: Literal["user", "model"] | None = None
    status: ConversationStatus
    pinned: bool
    tags: list[Tag] = Field(max_length=50)
    context_budget: int | None = Field(default=None, ge=1)
    created_at: str
    updated_at: str
    tip: Id | None
    forked_from: ExportedOrigin | None = None
    turns: list[ExportedTurn]


def is_aeon(value: JsonObject) -> bool:
    """Whether an object is a conversation in Aeon's own form, of any version."""
    return value.get("format") == FORMAT


def read_aeon(value: JsonObject) -> ConversationTree:
    """Returns an exported conversation as a tree. Raises BrokenConversationError that lists every problem."""
    if value.get("version") != VERSION:
        raise BrokenConversationError(f"its version is {value.get('version')!r}; this Aeon reads version {VERSION}")
    try:
        parsed = ExportedConversation.parsed(value)
    except RuleError as error:
        raise BrokenConversationError(error.message.rstrip(".")) from None
    if problems := list(islice(_problems(parsed), _MOST_PROBLEMS)):
        raise BrokenConversationError("; ".join(problems))
    origin = parsed.forked_from
    return ConversationTree(
        source="aeon",
        key=parsed.import_key,
        own_id=parsed.id,
        title=parsed.title,
        title_by=parsed.title_by,
        status=parsed.status,
        pinned=parsed.pinned,
        tags=parsed.tags,
        context_budget=parsed.context_budget,
        created_at=_instant(parsed.created_at),
        updated_at=_instant(parsed.updated_at),
        tip=parsed.tip,
        origin=None if origin is None else TreeOrigin(**origin.model_dump()),
        turns=[_turn(turn) for turn in parsed.turns],
        not_kept=Counter(
            _NO_CONTENT
            for turn in parsed.turns
            for each in turn.alternatives
            for file in each.attachments
            if file.content is None
        ),
        remarks=Counter(),
    )


def _problems(conversation: ExportedConversation) -> Iterator[str]:
    """Yields what the record would refuse in a tree, each with its place."""
    turn_of: dict[str, str] = {}
    answered_in: dict[str, str] = {}
    if (conversation.title is None) != (conversation.title_by is None):
        yield "$.titleBy: it is given exactly with a title"
    for name, at in (("createdAt", conversation.created_at), ("updatedAt", conversation.updated_at)):
        if normalize_instant(at) is None:
            yield f"$.{name}: {at!r} is not an instant with an offset"
    seen: set[str] = set()
    for number, turn in enumerate(conversation.turns):
        place = f"$.turns[{number}]"
        if turn.id in seen:
            yield f"{place}.id: another turn has it"
        if (number == 0) != (turn.parent is None):
            yield f"{place}.parent: the first turn has none, each other one has one"
        elif turn.parent is not None and turn.parent not in seen:
            yield f"{place}.parent: no turn before it has this id"
        seen.add(turn.id)
        yield from _turn_problems(place, turn, turn_of, answered_in)
    if (conversation.tip is None) != (not conversation.turns) or (conversation.tip or "") not in {"", *turn_of}:
        yield "$.tip: it is the id of an alternative, or null without turns"


def _turn_problems(
    place: str, turn: ExportedTurn, turn_of: dict[str, str], answered_in: dict[str, str]
) -> Iterator[str]:
    """Yields the problems of one turn; adds its alternatives to `turn_of`, and what they answer to `answered_in`."""
    if turn.turn_type not in _TURN_TYPES[turn.speaker]:
        yield f"{place}.turnType: a turn of the speaker {turn.speaker!r} has another type"
    if sum(each.is_active for each in turn.alternatives) != 1:
        yield f"{place}.alternatives: exactly one is active"
    if turn.via is None if turn.parent is not None else turn.via is not None:
        yield f"{place}.via: the first turn has none, each other one has one"
    elif turn.via is not None and turn_of.get(turn.via) != turn.parent:
        yield f"{place}.via: no alternative of the parent turn has this id"
    for number, each in enumerate(turn.alternatives):
        at = f"{place}.alternatives[{number}]"
        if each.id in turn_of:
            yield f"{at}.id: another alternative has it"
        if (None if each.responds_to is None else turn_of.get(each.responds_to, "")) != turn.parent:
            yield f"{at}.respondsTo: no alternative of the parent turn has this id"
        elif each.responds_to is not None and answered_in.setdefault(each.responds_to, turn.id) != turn.id:
            yield f"{at}.respondsTo: another turn answers this alternative"
        yield from _alternative_problems(at, each)
    turn_of.update((each.id, turn.id) for each in turn.alternatives)


def _alternative_problems(place: str, alternative: ExportedAlternative) -> Iterator[str]:
    is_generating = alternative.state == "generating"
    has_none = is_generating or alternative.state == "failed" or alternative.forgotten_at is not None
    if (alternative.content is None) != has_none:
        yield f"{place}.content: what is complete or stopped has one unless it was erased; nothing else has one"
    if alternative.state == "failed" and alternative.failure is None:
        yield f"{place}.failure: what has failed says why"
    if (alternative.ended_at is None) != is_generating:
        yield f"{place}.endedAt: it is given unless the answer is being made"
    for number, file in enumerate(alternative.attachments):
        if not file.is_whole:
            yield f"{place}.attachments[{number}].content: it is not the base64 of a file with this size and digest"
    for name, at in (
        ("createdAt", alternative.created_at),
        ("endedAt", alternative.ended_at),
        ("forgottenAt", alternative.forgotten_at),
    ):
        if at is not None and normalize_instant(at) is None:
            yield f"{place}.{name}: {at!r} is not an instant with an offset"


_TURN_TYPES: Final[dict[Speaker, frozenset[TurnType]]] = {
    "user": frozenset({"message"}),
    "agent": frozenset({"message", "tool_result"}),
    "system": frozenset({"message", "summary"}),
}


def _turn(turn: ExportedTurn) -> TreeTurn:
    alternatives = [_alternative(each) for each in turn.alternatives]
    return TreeTurn(turn.id, turn.parent, turn.via, turn.speaker, turn.turn_type, alternatives)


def _alternative(each: ExportedAlternative) -> TreeAlternative:
    is_generating = each.state == "generating"
    made_by = {name: value for name, value in (("executedBy", each.executed_by), ("run", each.run)) if value}
    failure = _UNFINISHED if is_generating else each.failure
    return TreeAlternative(
        id=each.id,
        responds_to=each.responds_to,
        is_active=each.is_active,
        state="failed" if is_generating else each.state,
        content=None if each.content is None else replace_unstorable(each.content),
        model=None if each.model is None else replace_unstorable(each.model),
        usage=object_of(storable(each.usage)),
        marks=[replace_unstorable(mark) for mark in each.marks],
        failure=None if failure is None else replace_unstorable(failure),
        created_at=_instant(each.created_at),
        ended_at=_instant(each.ended_at or each.created_at),
        forgotten_at=None if each.forgotten_at is None else _instant(each.forgotten_at),
        imported=object_of(storable({**each.imported, **made_by})),
        attachments=tuple(file.read() for file in each.attachments if file.content is not None),
    )


def _instant(text: str) -> str:
    return normalize_instant(text) or text
