"""Open WebUI's export: `history.messages` that name their parents, `currentId` (platform 27). Pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.platform.conversations.importing.arrange import Role, SourceConversation, SourceMessage
from aeon.platform.conversations.importing.fields import (
    dropped_fields,
    given,
    import_key,
    instant_of,
    list_of,
    names_of,
    object_of,
    places_of,
    required_object,
    storable,
    tags_of,
    text_of,
    title_of,
)
from aeon.platform.conversations.model import AlternativeState

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}


# Fields that are read, and those that are not part of the conversation: whose export it is, the shown path again, which
# models the page would offer next, a model's other name, its column, and how far it was read aloud. All others are
# counted.
_ROW: Final = frozenset({"id", "title", "chat", "created_at", "updated_at", "archived", "pinned", "meta", "user_id"})
_CHAT: Final = frozenset({"id", "title", "history", "timestamp", "tags", "messages", "models"})
_HISTORY: Final = frozenset({"messages", "currentId"})
_MESSAGE: Final = frozenset(
    {
        *("id", "parentId", "childrenIds", "role", "content", "timestamp", "model", "models", "done", "error", "files"),
        *("sources", "usage", "annotation"),
        *("modelName", "modelIdx", "lastSentence"),
    }
)
_ERROR: Final = frozenset({"content", "message"})
_TEXT: Final = frozenset({"type", "text"})


def is_open_webui(value: JsonObject) -> bool:
    """Whether an object is a conversation of this export: as a row with its `chat`, or the chat alone."""
    return isinstance(object_of(_chat(value).get("history")).get("messages"), dict)


def read_open_webui(value: JsonObject) -> SourceConversation:
    """Returns a conversation of this export. Raises BrokenConversationError."""
    chat = _chat(value)
    history = object_of(chat.get("history"))
    given_messages = required_object(history.get("messages"), "history.messages")
    messages = {id_: required_object(each, f"history.messages.{id_}") for id_, each in given_messages.items()}
    places = places_of(messages, "parentId", "childrenIds")
    return SourceConversation(
        source="open_webui",
        key=import_key("open_webui", value.get("id") or chat.get("id"), value),
        title=title_of(value.get("title")) or title_of(chat.get("title")),
        created_at=instant_of(value.get("created_at")) or instant_of(chat.get("timestamp")),
        updated_at=instant_of(value.get("updated_at")),
        messages=[_message(id_, each, *places[id_]) for id_, each in messages.items()],
        current=text_of(history.get("currentId")),
        is_archived=value.get("archived") is True,
        is_pinned=value.get("pinned") is True,
        tags=tags_of(object_of(value.get("meta")).get("tags")) or tags_of(chat.get("tags")),
        dropped=[
            *dropped_fields("conversations", value, _ROW if chat is not value else _ROW | _CHAT),
            *dropped_fields("conversations' meta", object_of(value.get("meta")), {"tags"}),
            *(dropped_fields("chats", chat, _CHAT) if chat is not value else ()),
            *dropped_fields("histories", history, _HISTORY),
        ],
    )


def _chat(value: JsonObject) -> JsonObject:
    return object_of(value["chat"]) if isinstance(value.get("chat"), dict) else value


def _message(id_: str, message: JsonObject, parent: str | None, rank: int) -> SourceMessage:
    given_role = text_of(message.get("role")) or ""
    content, not_kept = _content(message.get("content"))
    not_kept.update(map(_kind_of_file, list_of(message.get("files"))))
    not_kept.update(given(citation=len(list_of(message.get("sources")))))
    failure = _failure(message.get("error"))
    state: AlternativeState = "complete"
    if failure is not None:
        state = "stopped" if content else "failed"
    elif message.get("done") is False:
        state = "stopped"
    return SourceMessage(
        id=id_,
        parent=parent,
        role=_ROLES.get(given_role, "assistant"),
        content=None if state == "failed" else content,
        created_at=instant_of(message.get("timestamp")),
        rank=rank,
        state=state,
        failure=failure,
        model=text_of(message.get("model")),
        details=given(
            givenRole=None if given_role in _ROLES else given_role,
            files=names_of(message.get("files"), "name"),
            usage=storable(message.get("usage") or message.get("info")),
            models=storable(message.get("models")),
            rating=storable(object_of(message.get("annotation")).get("rating")),
        ),
        not_kept=not_kept,
        dropped=[
            *dropped_fields("messages", message, _MESSAGE if message.get("usage") else _MESSAGE | {"info"}),
            *dropped_fields("annotations", object_of(message.get("annotation")), {"rating"}),
            *dropped_fields("errors", object_of(message.get("error")), _ERROR),
            *(name for part in _texts(message.get("content")) for name in dropped_fields("texts", part, _TEXT)),
        ],
    )


def _content(value: Json) -> tuple[str, Counter[str]]:
    """Returns the text of a content, and how many images it has: a text, or parts of a vision model's message."""
    if isinstance(value, str):
        return value, Counter()
    if value and not isinstance(value, list):
        return "", Counter({"content of another form": 1})
    others = (object_of(part) for part in list_of(value) if not text_of(object_of(part).get("text")))
    return "\n".join(str(part["text"]) for part in _texts(value)), Counter(map(_kind_of_part, others))


def _texts(content: Json) -> list[JsonObject]:
    """Returns the parts of a content that have a text."""
    return [object_of(part) for part in list_of(content) if text_of(object_of(part).get("text"))]


def _kind_of_part(part: JsonObject) -> str:
    return "image" if part.get("type") == "image_url" else "part of a content that is no text"


def _kind_of_file(value: Json) -> str:
    return "image" if object_of(value).get("type") == "image" else "file"


def _failure(error: Json) -> str | None:
    """Returns why an answer failed; the export writes a text, an object with one, or true."""
    if not error:
        return None
    fields: Mapping[str, Json] = object_of(error)
    return text_of(error) or text_of(fields.get("content")) or text_of(fields.get("message")) or "no reason was given"
