"""Exports a conversation in Aeon's own form, which imports to an equal tree (platform 27). Pure."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence

from aeon.base.json import Json, JsonObject
from aeon.platform.conversations.attachments import Attachment
from aeon.platform.conversations.importing.aeon import FORMAT, VERSION
from aeon.platform.conversations.model import Alternative, Conversation, Turn

_EXECUTION = ("executedBy", "run")
"""What an import keeps of an alternative's making beside its content; it is exported where it was."""


def export_key(conversation: Conversation) -> str:
    """Returns the key under which an exported conversation is imported once."""
    return conversation.import_key or f"aeon:{conversation.id}"


def exported_attachment(attachment: Attachment, content: bytes | None, text: str | None) -> JsonObject:
    """Returns an attachment that is not erased; without its `content` it is only listed.

    `text` is what a model reads, for a file that is not itself this text.
    """
    return {
        "name": attachment.name,
        "mediaType": attachment.media_type,
        "size": attachment.size,
        "digest": attachment.digest,
        "text": text,
        "content": None if content is None else b64encode(content).decode(),
    }


def exported_conversation(
    conversation: Conversation,
    alternatives: Iterable[Alternative],
    origin: Conversation | None,
    attachments: Mapping[str, Sequence[JsonObject]],
) -> JsonObject:
    """Returns a conversation with all its alternatives, which are given by depth, turn and sequence.

    `origin` is the conversation that it was forked from; `attachments` are exported ones by alternative. An answer that
    is being made is exported as `generating`, without content.
    """
    turns: dict[str, JsonObject] = {}
    for each in alternatives:
        turns.setdefault(each.turn.id, _turn(each.turn))["alternatives"].append(
            _alternative(each, attachments.get(each.id, ()))
        )
    return {
        "format": FORMAT,
        "version": VERSION,
        "id": conversation.id,
        "importKey": export_key(conversation),
        "title": conversation.title,
        "titleBy": conversation.title_by,
        "status": conversation.status,
        "pinned": conversation.pinned,
        "tags": list[Json](conversation.tags),
        "contextBudget": conversation.context_budget,
        "createdAt": conversation.created_at,
        "updatedAt": conversation.updated_at,
        "tip": conversation.tip_id,
        "forkedFrom": None if origin is None else _origin(conversation, origin),
        "turns": list[Json](turns.values()),
    }


def _origin(conversation: Conversation, origin: Conversation) -> JsonObject:
    return {
        "conversation": origin.id,
        "turn": conversation.origin_turn_id,
        "alternative": conversation.origin_alternative_id,
        "importKey": export_key(origin),
        "title": origin.title,
    }


def _turn(turn: Turn) -> JsonObject:
    return {
        "id": turn.id,
        "parent": turn.parent_id,
        "via": turn.via_alternative_id,
        "speaker": turn.speaker,
        "turnType": turn.turn_type,
        "alternatives": [],
    }


def _alternative(each: Alternative, attachments: Sequence[JsonObject]) -> JsonObject:
    executed_by: Json = {"process": each.process_id, "digest": each.process_digest}
    return {
        "id": each.id,
        "respondsTo": each.responds_to_id,
        "isActive": each.is_active,
        "state": each.state,
        "content": each.content,
        "attachments": list[Json](attachments),
        "model": each.model,
        "usage": each.usage,
        "marks": each.marks,
        "failure": each.failure,
        "executedBy": each.imported.get("executedBy") if each.process_id is None else executed_by,
        "run": each.run_id or each.imported.get("run"),
        "createdAt": each.created_at,
        "endedAt": each.ended_at,
        "forgottenAt": each.forgotten_at,
        "imported": {name: value for name, value in each.imported.items() if name not in _EXECUTION},
    }
