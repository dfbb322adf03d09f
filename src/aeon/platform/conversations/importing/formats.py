"""Recognizes the form of a conversation in a file, and reads it. Pure."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, cast

from aeon.base.json import JsonObject, parse_strict
from aeon.platform.conversations.importing.aeon import is_aeon, read_aeon
from aeon.platform.conversations.importing.arrange import SourceConversation, arrange
from aeon.platform.conversations.importing.chatgpt import is_chatgpt, read_chatgpt
from aeon.platform.conversations.importing.claude import is_claude, read_claude
from aeon.platform.conversations.importing.open_webui import is_open_webui, read_open_webui
from aeon.platform.conversations.importing.tree import BrokenConversationError, ConversationTree, SourceFormat


class _Form(NamedTuple):
    name: str
    matches: Callable[[JsonObject], bool]
    read: Callable[[JsonObject], ConversationTree]


def _arranged(read: Callable[[JsonObject], SourceConversation]) -> Callable[[JsonObject], ConversationTree]:
    return lambda value: arrange(read(value))


_FORMS: Final[Mapping[SourceFormat, _Form]] = {
    "aeon": _Form("Aeon", is_aeon, read_aeon),
    "chatgpt": _Form("ChatGPT", is_chatgpt, _arranged(read_chatgpt)),
    "claude": _Form("Claude", is_claude, _arranged(read_claude)),
    "open_webui": _Form("Open WebUI", is_open_webui, _arranged(read_open_webui)),
}

FORMAT_NAMES: Final[Mapping[SourceFormat, str]] = {format_: form.name for format_, form in _FORMS.items()}
"""The formats that can be imported, with the names of the products that write them."""


def read_conversation(text: str, format_: SourceFormat | None = None) -> ConversationTree:
    """Returns the conversation that a JSON text is, in a given format or in the one that it is recognized as.

    Raises BrokenConversationError for what is no JSON or no conversation.
    """
    value = _parsed(text)
    form = _FORMS[format_] if format_ else next((each for each in _FORMS.values() if each.matches(value)), None)
    if form is None:
        raise BrokenConversationError("its form is not known: it has no mapping, chat_messages, history or format")
    if not form.matches(value):
        raise BrokenConversationError(f"it is not a conversation of {form.name}")
    return form.read(value)


def title_in(text: str) -> str | None:
    """Returns the title in a JSON text that could not be read as a conversation, to name it for people."""
    try:
        value = _parsed(text)
    except BrokenConversationError:
        return None
    title = value.get("title") or value.get("name")
    return title if isinstance(title, str) else None


def _parsed(text: str) -> JsonObject:
    try:
        text.encode()
        value = parse_strict(text)
    except UnicodeEncodeError:
        raise BrokenConversationError("it has bytes that are not UTF-8") from None
    except ValueError as error:
        raise BrokenConversationError(f"it is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BrokenConversationError("it is not an object")
    return cast(JsonObject, value)
