"""Claude's export: `chat_messages` in order; newer ones name their `parent_message_uuid` (platform 27). Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.platform.conversations.importing.arrange import PastedText, Role, SourceConversation, SourceMessage
from aeon.platform.conversations.importing.fields import (
    dropped_fields,
    given,
    import_key,
    instant_of,
    list_of,
    names_of,
    object_of,
    required_object,
    storable,
    text_of,
    title_of,
)
from aeon.platform.conversations.importing.tree import BrokenConversationError

_NO_PARENT: Final = "00000000-0000-4000-8000-000000000000"
"""The parent that the export names for a first message."""

_ROLES: Final[dict[str, Role]] = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
}


# Fields that are read, and those not part of the conversation: whose export it is, when a part of a message was
# begun and ended, its place in the list, how it was typed, and the same files or words once more. All others are
# counted.
_CONVERSATION: Final = frozenset(
    {
        *("uuid", "name", "created_at", "updated_at", "chat_messages", "current_leaf_message_uuid", "is_starred"),
        "account",
    }
)
_MESSAGE: Final = frozenset(
    {
        *("uuid", "text", "content", "sender", "created_at", "attachments", "files", "parent_message_uuid"),
        *("stop_reason", "updated_at", "index", "input_mode", "files_v2"),
    }
)
_TEXT: Final = frozenset({"type", "text", "citations", "start_timestamp", "stop_timestamp"})
_ATTACHMENT: Final = frozenset({"file_name", "file_type", "file_size", "extracted_content", "id", "created_at"})


def is_claude(value: JsonObject) -> bool:
    """Whether an object is a conversation of this export."""
    return isinstance(value.get("chat_messages"), list)


def read_claude(value: JsonObject) -> SourceConversation:
    """Returns a conversation of this export. Raises BrokenConversationError."""
    if not is_claude(value):
        raise BrokenConversationError("chat_messages is not a list")
    given_messages = [
        required_object(each, f"chat_messages[{place}]") for place, each in enumerate(list_of(value["chat_messages"]))
    ]
    names_parents = any("parent_message_uuid" in each for each in given_messages)
    ids = [text_of(each.get("uuid")) or f"message {place}" for place, each in enumerate(given_messages)]
    messages = [_message(ids, place, each, names_parents=names_parents) for place, each in enumerate(given_messages)]
    return SourceConversation(
        source="claude",
        key=import_key("claude", value.get("uuid"), value),
        title=title_of(value.get("name")),
        created_at=instant_of(value.get("created_at")),
        updated_at=instant_of(value.get("updated_at")),
        messages=messages,
        current=text_of(value.get("current_leaf_message_uuid")),
        is_pinned=value.get("is_starred") is True,
        dropped=dropped_fields("conversations", value, _CONVERSATION),
    )


def _message(ids: Sequence[str], place: int, message: JsonObject, *, names_parents: bool) -> SourceMessage:
    sender = text_of(message.get("sender")) or ""
    blocks = list_of(message.get("content"))
    texts = [text for block in blocks if (text := _text_of_block(block)) is not None]
    others = [block for block in blocks if _text_of_block(block) is None]
    attachments = [object_of(each) for each in list_of(message.get("attachments"))]
    text_blocks = [object_of(block) for block in blocks if _text_of_block(block) is not None]
    return SourceMessage(
        id=ids[place],
        parent=_parent(ids, place, message, names_parents=names_parents),
        role=_ROLES.get(sender, "assistant"),
        content="\n\n".join(texts) if texts else text_of(message.get("text")) or "",
        created_at=instant_of(message.get("created_at")),
        rank=place,
        state="stopped" if message.get("stop_reason") == "user_canceled" else "complete",
        details=given(
            givenRole=None if sender in _ROLES else sender,
            blocks=storable(others),
            attachments=[_attachment(each) for each in attachments],
            files=names_of(message.get("files"), "file_name"),
            finishReason=text_of(message.get("stop_reason")),
        ),
        not_kept=+_not_kept(message, others, text_blocks, attachments),
        texts=list(_pasted_texts(attachments)),
        dropped=_dropped(message, text_blocks, attachments),
    )


def _parent(ids: Sequence[str], place: int, message: JsonObject, *, names_parents: bool) -> str | None:
    parent = text_of(message.get("parent_message_uuid"))
    if parent == _NO_PARENT:
        return None
    return ids[place - 1] if not names_parents and place > 0 else parent


def _not_kept(
    message: JsonObject, others: Sequence[Json], text_blocks: Sequence[JsonObject], attachments: Sequence[JsonObject]
) -> Counter[str]:
    """Returns how much of each kind is left out of an imported message."""
    lost: Counter[str] = Counter(file=len(list_of(message.get("files"))))
    lost.update("image" for block in others if object_of(block).get("type") == "image")
    lost["file"] += len(attachments) - len(list(_pasted_texts(attachments)))
    lost["citation"] += sum(len(list_of(block.get("citations"))) for block in text_blocks)
    return lost


def _dropped(message: JsonObject, text_blocks: Sequence[JsonObject], attachments: Sequence[JsonObject]) -> list[str]:
    known = _MESSAGE if message.get("files") else _MESSAGE - {"files_v2"}
    return [
        *dropped_fields("messages", message, known),
        *(name for block in text_blocks for name in dropped_fields("texts", block, _TEXT)),
        *(name for each in attachments for name in dropped_fields("attachments", each, _ATTACHMENT)),
    ]


def _pasted_texts(attachments: Iterable[JsonObject]) -> Iterator[PastedText]:
    """Yields pasted texts, and the texts that were read from files; a file without one is left out."""
    for each in attachments:
        text = text_of(each.get("extracted_content"))
        if text and text.strip():
            yield PastedText(text_of(each.get("file_name")), text)


def _text_of_block(block: Json) -> str | None:
    fields = object_of(block)
    return text_of(fields.get("text")) if fields.get("type") == "text" else None


def _attachment(value: Json) -> JsonObject:
    """Returns what is known of a pasted text or a file: its name, type and size."""
    fields = object_of(value)
    return given(
        name=text_of(fields.get("file_name")),
        type=text_of(fields.get("file_type")),
        size=fields.get("file_size") if isinstance(fields.get("file_size"), int) else None,
    )
