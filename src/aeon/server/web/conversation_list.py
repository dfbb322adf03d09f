"""The list of conversations beside every page."""

from typing import NamedTuple

from aeon.application.conversations import Conversation, ConversationService
from aeon.platform.conversations.model import ConversationStatus

_SHOWN = 40
_TITLE = 60


class ListedConversation(NamedTuple):
    """A conversation in the list."""

    id: str
    title: str
    is_pinned: bool


class ConversationList(NamedTuple):
    """Conversations, the last changed first, the pinned ones before them; `more` is the cursor of the next."""

    items: list[ListedConversation]
    more: str | None


def list_shown(
    service: ConversationService, empty: str, *, status: ConversationStatus = "active", after: str | None = None
) -> ConversationList:
    """The newest conversations of a user; `empty` names one without messages."""
    found = service.list(status=status, after=after, limit=_SHOWN)
    items = [ListedConversation(each.id, title_of(service, each, empty), each.pinned) for each in found.items]
    return ConversationList(sorted(items, key=lambda each: not each.is_pinned), found.next_cursor)


def title_of(service: ConversationService, conversation: Conversation, empty: str) -> str:
    """The title of a conversation; without one, the beginning of its first message."""
    if conversation.title is not None:
        return conversation.title
    first = service.tree(conversation.id, limit=1).items
    words = " ".join((first[0].content or "").split()) if first else ""
    return (words if len(words) <= _TITLE else f"{words[:_TITLE].rstrip()}...") or empty
