"""ChatGPT's export: `mapping` of nodes that name their parents, `current_node` (platform 27). Pure."""

from collections import Counter
from typing import Final, NamedTuple

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
    text_of,
    title_of,
)
from aeon.platform.conversations.model import AlternativeState

_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
    "developer": "system",
}
_STOPPED: Final = frozenset({"in_progress", "finished_partial_completion"})
_THOUGHTS: Final = frozenset({"thoughts", "reasoning_recap"})
"""Kinds of contents that the model did not say to the user."""

_TEXT_FIELDS: Final = (
    "text",
    "result",
    "title",
    "summary",
    "content",
    "user_profile",
    "user_instructions",
    "model_set_context",
)
"""Fields of contents without parts that hold their text, in the order in which it is put together."""


# Fields that are read, and the service's own that are not part of the conversation: ids that stand elsewhere, what
# its filters and pages keep for themselves, the model that it would offer next, and where a request ran. All others are
# counted in the report: a list of what may be forgotten in silence is safer than one of what must not be.
_CONVERSATION: Final = frozenset(
    {
        *("title", "create_time", "update_time", "mapping", "current_node", "conversation_id", "id", "is_archived"),
        *("is_starred", "pinned_time"),
        *("moderation_results", "safe_urls", "blocked_urls", "async_status", "default_model_slug", "is_read_only"),
        *("sugar_item_id", "sugar_item_visible", "owner", "context_scopes"),
    }
)
_NODE: Final = frozenset({"id", "message", "parent", "children"})
_MESSAGE: Final = frozenset(
    {
        *("id", "author", "create_time", "content", "status", "weight", "metadata", "recipient", "channel"),
        *("update_time", "end_turn"),
    }
)
_AUTHOR: Final = frozenset({"role", "name", "metadata"})
_METADATA: Final = frozenset(
    {
        *("attachments", "citations", "model_slug", "is_visually_hidden_from_conversation", "finish_details"),
        *("message_type", "timestamp_", "request_id", "parent_id", "turn_exchange_id", "message_source", "is_complete"),
        *("can_save", "pad", "default_model_slug", "resolved_model_slug", "model_switcher_deny"),
        *("serialization_metadata", "rebase_developer_message", "rebase_system_message", "reasoning_status"),
    }
)
_FINISH: Final = frozenset({"type", "stop_tokens"})


class _Content(NamedTuple):
    text: str
    rest: JsonObject
    not_kept: Counter[str]


def is_chatgpt(value: JsonObject) -> bool:
    """Whether an object is a conversation of this export."""
    return isinstance(value.get("mapping"), dict)


def read_chatgpt(value: JsonObject) -> SourceConversation:
    """Returns a conversation of this export. Raises BrokenConversationError."""
    mapping = required_object(value.get("mapping"), "mapping")
    nodes = {id_: required_object(node, f"mapping.{id_}") for id_, node in mapping.items()}
    places = places_of(nodes, "parent", "children")
    return SourceConversation(
        source="chatgpt",
        key=import_key("chatgpt", value.get("conversation_id") or value.get("id"), value),
        title=title_of(value.get("title")),
        created_at=instant_of(value.get("create_time")),
        updated_at=instant_of(value.get("update_time")),
        messages=[_message(id_, node, *places[id_]) for id_, node in nodes.items()],
        current=text_of(value.get("current_node")),
        is_archived=value.get("is_archived") is True,
        is_pinned=value.get("is_starred") is True or value.get("pinned_time") is not None,
        dropped=dropped_fields("conversations", value, _CONVERSATION),
    )


def _message(id_: str, node: JsonObject, parent: str | None, rank: int) -> SourceMessage:
    if node.get("message") is None:
        empty = SourceMessage(id_, parent, "system", "", None, rank, details={"isEmptyNode": True})
        return empty._replace(dropped=dropped_fields("nodes", node, _NODE))
    message = required_object(node["message"], f"mapping.{id_}.message")
    author, metadata = object_of(message.get("author")), object_of(message.get("metadata"))
    role = _ROLES.get(text_of(author.get("role")) or "", "tool")
    content = _content(message.get("content"))
    names = names_of(metadata.get("attachments"), "name")
    content.not_kept.update(given(file=_count_files(metadata, content)))
    content.not_kept.update(given(citation=len(list_of(metadata.get("citations")))))
    status = text_of(message.get("status"))
    state: AlternativeState = "stopped" if role == "assistant" and status in _STOPPED else "complete"
    return SourceMessage(
        id=id_,
        parent=parent,
        role=role,
        content=content.text,
        created_at=instant_of(message.get("create_time")),
        rank=rank,
        state=state,
        model=text_of(metadata.get("model_slug")),
        details=given(
            givenRole=None if author.get("role") in _ROLES else storable(author.get("role")),
            name=text_of(author.get("name")),
            recipient=None if message.get("recipient") == "all" else text_of(message.get("recipient")),
            channel=text_of(message.get("channel")),
            content=content.rest,
            isThought=content.rest.get("content_type") in _THOUGHTS,
            attachments=names,
            isHidden=metadata.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0,
            finishReason=text_of(object_of(metadata.get("finish_details")).get("type")),
        ),
        not_kept=content.not_kept,
        dropped=[
            *dropped_fields("nodes", node, _NODE),
            *dropped_fields("messages", message, _MESSAGE),
            *dropped_fields("authors", author, _AUTHOR),
            *dropped_fields("authors' metadata", object_of(author.get("metadata")), ()),
            *dropped_fields("messages' metadata", metadata, _METADATA),
            *dropped_fields("finish details", object_of(metadata.get("finish_details")), _FINISH),
        ],
    )


def _content(value: Json) -> _Content:
    """Returns the text of a content, what else it says, and how much of it are images, sounds and files."""
    if isinstance(value, str):
        return _Content(value, {}, Counter())
    content = object_of(value)
    if value and not content:
        return _Content("", {}, Counter({"content of another form": 1}))
    rest = {name: field for name, field in content.items() if not (name == "content_type" and field == "text")}
    if "parts" in content:
        del rest["parts"]
        return _of_parts(list_of(content["parts"]), rest)
    if (thoughts := list_of(content.get("thoughts"))) and all(isinstance(each, dict) for each in thoughts):
        texts = [text for each in thoughts for name in ("summary", "content") if (text := text_of(each.get(name)))]
        return _Content("\n\n".join(texts), _kept(rest), Counter())
    named = [name for name in _TEXT_FIELDS if text_of(content.get(name))]
    text = "\n\n".join(str(rest.pop(name)) for name in named)
    return _Content(text, _kept(rest), Counter())


def _of_parts(parts: list[Json], rest: JsonObject) -> _Content:
    texts: list[str] = []
    others: list[Json] = []
    not_kept: Counter[str] = Counter()
    for part in parts:
        fields = object_of(part)
        kind = text_of(fields.get("content_type")) or "part"
        if isinstance(part, str):
            texts.append(part)
            continue
        others.append(part)
        if text := text_of(fields.get("text")):
            texts.append(text)
        else:
            not_kept[next((medium for medium in ("image", "audio", "video") if medium in kind), kind)] += 1
    return _Content("\n".join(texts), _kept({**rest, "parts": others} if others else rest), not_kept)


def _count_files(metadata: JsonObject, content: _Content) -> int:
    """Returns how many attachments there are beside the images that the content itself points to."""
    pointers = [str(object_of(part).get("asset_pointer")) for part in list_of(content.rest.get("parts"))]
    attached = [text_of(object_of(each).get("id")) for each in list_of(metadata.get("attachments"))]
    return sum(not id_ or not any(id_ in pointer for pointer in pointers) for id_ in attached)


def _kept(rest: JsonObject) -> JsonObject:
    return object_of(storable(given(**rest)))
