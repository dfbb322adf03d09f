"""Arranges the messages of a foreign file, which name their parents, as a tree of turns and alternatives. Pure.

Every message becomes an alternative (platform 27). All that answer one message stand in one turn, and all that answer
none in the first turn, also those whose parent is missing or that stand in a circle of parents.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from aeon.base.json import Json, JsonObject
from aeon.platform.conversations.attachments import MAX_ATTACHMENT, MAX_ATTACHMENTS, MAX_NAME, NewAttachment
from aeon.platform.conversations.importing.fields import given, storable
from aeon.platform.conversations.importing.tree import ConversationTree, SourceFormat, TreeAlternative, TreeTurn
from aeon.platform.conversations.model import AlternativeState, Speaker, TurnType
from aeon.platform.records import replace_unstorable

Role: TypeAlias = Literal["user", "assistant", "tool", "system"]

_SPEAKERS: Final[Mapping[Role, tuple[Speaker, TurnType]]] = {
    "user": ("user", "message"),
    "assistant": ("agent", "message"),
    "tool": ("agent", "tool_result"),
    "system": ("system", "message"),
}

_UNSTORABLE: Final = "character that no text can hold"
_OTHER_ROLE: Final = "message in a turn of another role; its own role is kept beside it"
_MAX_TITLE: Final = 200
_EPOCH: Final = "1970-01-01T00:00:00.000000+00:00"


_TOO_LARGE: Final = f"attached text of over {MAX_ATTACHMENT >> 20} MiB"
_TOO_MANY: Final = f"attached text beyond the {MAX_ATTACHMENTS} of a message"
_PASTED: Final = "pasted.txt"
"""The name of an attached text that has none."""


class PastedText(NamedTuple):
    """A text that a foreign file attaches to a message, such as one that was pasted, with its name if it has one."""

    name: str | None
    text: str


class SourceMessage(NamedTuple):
    """A message of a foreign file. `rank` is its place among those that have the same parent.

    `texts` are attached to it. `details` is what the source knew besides; `not_kept` counts what cannot be kept, by
    kind, and is noted beside the message; `dropped` names its fields that are not kept, for the report alone.
    """

    id: str
    parent: str | None
    role: Role
    content: str | None
    created_at: str | None
    rank: int = 0
    state: AlternativeState = "complete"
    failure: str | None = None
    model: str | None = None
    details: JsonObject = {}  # noqa: RUF012  # never changed
    not_kept: Mapping[str, int] = {}  # never changed
    dropped: Sequence[str] = ()
    texts: Sequence[PastedText] = ()


class SourceConversation(NamedTuple):
    """A conversation of a foreign file. `current` is the message at which its visible path ends, if it says so."""

    source: SourceFormat
    key: str
    title: str | None
    created_at: str | None
    updated_at: str | None
    messages: Sequence[SourceMessage]
    current: str | None
    is_archived: bool = False
    is_pinned: bool = False
    tags: Sequence[str] = ()
    dropped: Sequence[str] = ()


def arrange(source: SourceConversation) -> ConversationTree:
    """Returns the tree of a foreign conversation: every message, the same current path."""
    remarks: Counter[str] = Counter()
    messages = _by_id(source.messages, remarks)
    faults = _faults(messages)
    parents = {id_: None if id_ in faults else each.parent for id_, each in messages.items()}
    for fault in faults.values():
        remarks[f"message {fault}; it stands beside the first message"] += 1
    children = _children(messages, parents)
    tip = _tip(source, messages, children, faults, remarks)
    turns = _turns(source, messages, parents, children, tip, faults, remarks)
    not_kept: Counter[str] = Counter(source.dropped)
    for each in messages.values():
        not_kept.update(each.not_kept)
        not_kept.update(each.dropped)
        not_kept.update(_lost_texts(each.texts))
        if lost := sum(map(_count_unstorable, [each.content or "", *(attached.text for attached in each.texts)])):
            not_kept[_UNSTORABLE] += lost
    if source.title and len(source.title) > _MAX_TITLE:
        not_kept[f"end of a title of over {_MAX_TITLE} characters"] += 1
    times = sorted(each.created_at for each in messages.values() if each.created_at is not None)
    created_at = source.created_at or next(iter(times), None)
    return ConversationTree(
        source=source.source,
        key=source.key,
        own_id=None,
        title=source.title[:_MAX_TITLE].rstrip() if source.title else None,
        title_by="user" if source.title else None,
        status="archived" if source.is_archived else "active",
        pinned=source.is_pinned,
        tags=list(source.tags),
        context_budget=None,
        created_at=created_at,
        updated_at=source.updated_at or (times[-1] if times else created_at),
        tip=tip,
        origin=None,
        turns=turns,
        not_kept=not_kept,
        remarks=remarks,
    )


def _by_id(given_messages: Sequence[SourceMessage], remarks: Counter[str]) -> dict[str, SourceMessage]:
    """Returns the messages by id, in the file's order; an id that appears again gets a number."""
    messages: dict[str, SourceMessage] = {}
    for each in given_messages:
        id_, number = each.id, 1
        while id_ in messages:
            number += 1
            id_ = f"{each.id}#{number}"
        if number > 1:
            remarks["message with the id of another; it got an id of its own"] += 1
        messages[id_] = each
    return messages


def _faults(messages: Mapping[str, SourceMessage]) -> dict[str, str]:
    """Returns, by id, why a message cannot stand below the parent that it names."""
    faults: dict[str, str] = {}
    positions = {id_: number for number, id_ in enumerate(messages)}
    settled: set[str] = set()
    for start in messages:
        walk: dict[str, None] = {}
        id_: str | None = start
        while id_ is not None and id_ not in settled:
            if id_ in walk:
                ids = list(walk)
                faults[min(ids[ids.index(id_) :], key=positions.__getitem__)] = "in a circle of parents"
                break
            walk[id_] = None
            parent = messages[id_].parent
            if parent is not None and parent not in messages:
                faults[id_] = "whose parent is missing"
                parent = None
            id_ = parent
        settled.update(walk)
    return faults


def _children(messages: Mapping[str, SourceMessage], parents: Mapping[str, str | None]) -> dict[str | None, list[str]]:
    """Returns the ids that answer each message, in order; under None those that answer none."""
    children: dict[str | None, list[str]] = {}
    for id_ in sorted(messages, key=lambda id_: messages[id_].rank):
        children.setdefault(parents[id_], []).append(id_)
    return children


def _tip(
    source: SourceConversation,
    messages: Mapping[str, SourceMessage],
    children: Mapping[str | None, list[str]],
    faults: Mapping[str, str],
    remarks: Counter[str],
) -> str | None:
    """Returns where the visible path ends: where the file says, else at the newest message that nothing answers."""
    if source.current in messages:
        return source.current
    ends = [id_ for id_ in messages if id_ not in children]
    if source.current is not None or any(len(each) > 1 for each in children.values()):
        remarks["conversation whose current branch the file does not say; the newest one is shown"] += 1
    misplaced = _below(faults, children)
    whole = [id_ for id_ in ends if id_ not in misplaced]
    return max(whole or ends, key=lambda id_: messages[id_].created_at or "", default=None)


def _below(ids: Iterable[str], children: Mapping[str | None, list[str]]) -> set[str]:
    """Returns messages and all that answers them."""
    found = list(ids)
    for id_ in found:  # grows while it is read
        found += children.get(id_, [])
    return set(found)


def _turns(
    source: SourceConversation,
    messages: Mapping[str, SourceMessage],
    parents: Mapping[str, str | None],
    children: Mapping[str | None, list[str]],
    tip: str | None,
    faults: Mapping[str, str],
    remarks: Counter[str],
) -> list[TreeTurn]:
    path: set[str] = set()
    at = tip
    while at is not None:
        path.add(at)
        at = parents[at]
    turns: list[TreeTurn] = []
    times: dict[str | None, str] = {None: source.created_at or source.updated_at or _EPOCH}
    places: list[tuple[str | None, str | None]] = [(None, None)]
    for parent, parent_turn in places:  # grows while it is read
        ids = children.get(parent, [])
        if not ids:
            continue
        active = next((id_ for id_ in ids if id_ in path), ids[-1])
        speaker = _SPEAKERS[messages[active].role]
        turn_id = "turn" if parent is None else f"turn:{parent}"
        alternatives: list[TreeAlternative] = []
        for id_ in ids:
            each = messages[id_]
            times[id_] = each.created_at or times[parent]
            if _SPEAKERS[each.role] != speaker:
                remarks[_OTHER_ROLE] += 1
            alternatives.append(_alternative(source, id_, each, parent, times[id_], faults.get(id_), id_ == active))
            places.append((id_, turn_id))
        turns.append(TreeTurn(turn_id, parent_turn, parent, *speaker, alternatives))
    return turns


def _alternative(
    source: SourceConversation,
    id_: str,
    message: SourceMessage,
    parent: str | None,
    at: str,
    fault: str | None,
    is_active: bool,
) -> TreeAlternative:
    imported: dict[str, Json] = {
        "source": source.source,
        "id": message.id,
        "role": message.role,
        **message.details,
        **given(
            isTimeUnknown=message.created_at is None,
            fault=fault,
            parent=message.parent if fault else None,
            notKept={**message.not_kept, **Counter(_lost_texts(message.texts))},
        ),
    }
    return TreeAlternative(
        id=id_,
        responds_to=parent,
        is_active=is_active,
        state=message.state,
        content=None if message.content is None else replace_unstorable(message.content),
        model=None if message.model is None else replace_unstorable(message.model),
        usage={},
        marks=[],
        failure=None if message.failure is None else replace_unstorable(message.failure),
        created_at=at,
        ended_at=at,
        forgotten_at=None,
        imported=storable(imported) or {"source": source.source, "role": message.role},
        attachments=tuple(_attached(each) for each in _small_texts(message.texts)[:MAX_ATTACHMENTS]),
    )


def _small_texts(texts: Iterable[PastedText]) -> list[PastedText]:
    """Return the texts that are not too large to be attached."""
    return [each for each in texts if len(replace_unstorable(each.text).encode()) <= MAX_ATTACHMENT]


def _lost_texts(texts: Sequence[PastedText]) -> Iterator[str]:
    """Yield why texts cannot be attached, once for each that cannot."""
    small = len(_small_texts(texts))
    yield from [_TOO_LARGE] * (len(texts) - small)
    yield from [_TOO_MANY] * (small - MAX_ATTACHMENTS)


def _attached(source: PastedText) -> NewAttachment:
    """Return a text as an attachment. Only the last part of its name is kept."""
    text = replace_unstorable(source.text)
    name = replace_unstorable(source.name or "").replace("\\", "/").rpartition("/")[2].strip()
    return NewAttachment(name[-MAX_NAME:] or _PASTED, "text/plain", text.encode(), text)


def _count_unstorable(text: str) -> int:
    return text.count("\0") + sum("\ud800" <= each <= "\udfff" for each in text) if not _is_storable(text) else 0


def _is_storable(text: str) -> bool:
    return replace_unstorable(text) == text
