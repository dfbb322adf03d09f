"""What an import does not keep is counted and named, field by field (platform 27)."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from aeon.base.json import canonical_json
from aeon.platform.conversations.importing.formats import read_conversation
from aeon.platform.conversations.importing.tree import BrokenConversationError

DATA = Path(__file__).parents[3] / "data" / "conversations"
PRODUCTS = ("chatgpt", "claude", "open_webui")

COUNTED = {"attachments", "citations", "files", "sources", "asset_pointer", "image_url"}
"""Fields of which the report counts the media, files and citations, whatever they say."""

SILENT = {"account", "chat.messages", "safe_urls", "moderation_results"}
"""Fields of the test files that say nothing of what was said."""


def conversations(product):
    return json.loads((DATA / f"{product}.json").read_text("utf-8"))


def not_kept(value):
    return dict(read_conversation(json.dumps(value)).not_kept)


def places(value, path=()):
    """Every object in a JSON value, by its path."""
    if isinstance(value, dict):
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def stored(tree):
    """All that the record keeps of a tree."""
    return canonical_json([tree.title, [[each.content, each.imported] for each in tree.alternatives()]])


CASES = [
    (product, number, path)
    for product in PRODUCTS
    for number, conversation in enumerate(conversations(product))
    for path in places(conversation)
]


def is_silent(path):
    words = ".".join(map(str, path))
    return any(words.startswith(each) for each in SILENT)


@pytest.mark.parametrize(("product", "number", "path"), CASES)
def test_a_field_anywhere_is_kept_or_counted_platform_27(product, number, path):
    """One field more in each object of the test files in turn: it is not lost without a word."""
    conversation = conversations(product)[number]
    before = not_kept(conversation)
    at(conversation, path)["unheard"] = "of words"
    try:
        tree = read_conversation(json.dumps(conversation))
    except BrokenConversationError:
        assert path[-1] == "mapping" or path[-2:] == ("history", "messages"), "those hold messages alone"
        return
    is_counted = any(f"`{each}`" in kind for kind in tree.not_kept for each in ("unheard", *path))
    is_in_counted = COUNTED & {*map(str, path), *(at(conversation, path))} and sum(before.values())
    assert is_counted or '"unheard":"of words"' in stored(tree) or is_in_counted or is_silent(path)


def test_fields_are_grouped_and_what_the_service_says_of_itself_is_not_mentioned_platform_27():
    (conversation,) = deepcopy(conversations("chatgpt")[:1])
    conversation |= {"gizmo_id": "g-1", "safe_urls": ["https://example.org"], "voice": None, "plugin_ids": []}
    for node in conversation["mapping"].values():
        if node["message"]:
            node["message"]["metadata"] |= {"request_id": "r", "timestamp_": "absolute", "canvas": {"id": 1}}
            node["message"]["author"]["metadata"] = {"real_author": "tool:web"}
    assert not_kept(conversation) == {
        "field `gizmo_id` of conversations": 1,
        "field `canvas` of messages' metadata": 8,
        "field `real_author` of authors' metadata": 8,
    }


def test_parts_of_claude_that_are_not_kept_are_counted_platform_27():
    text = {
        "type": "text",
        "text": "Hi.",
        "citations": [{"url": "a"}, {"url": "b"}],
        "flags": ["x"],
        "stop_timestamp": "1",
    }
    said = {
        "uuid": "a",
        "sender": "human",
        "content": [text],
        "files_v2": [{"file_name": "x.png"}],
        "feedback": {"a": 1},
    }
    whole = {"uuid": "x", "chat_messages": [said], "summary": "All of it.", "account": {"uuid": "u"}}
    assert not_kept(whole) == {
        "citation": 2,
        "field `feedback` of messages": 1,
        "field `files_v2` of messages": 1,
        "field `flags` of texts": 1,
        "field `summary` of conversations": 1,
    }
    said["files"] = [{"file_name": "x.png"}]
    assert not_kept(whole)["file"] == 1
    assert "field `files_v2` of messages" not in not_kept(whole)


def test_parameters_and_histories_of_open_webui_are_counted_platform_27():
    message = {
        "id": "a",
        "role": "user",
        "content": [{"type": "input_audio", "data": "x"}],
        "statusHistory": [{"a": 1}],
    }
    chat = {"params": {"system": "Be brief."}, "models": ["m"], "history": {"messages": {"a": message}, "x": 1}}
    assert not_kept({"id": "x", "user_id": "u", "folder_id": "f", "chat": chat}) == {
        "field `folder_id` of conversations": 1,
        "field `params` of chats": 1,
        "field `statusHistory` of messages": 1,
        "field `x` of histories": 1,
        "part of a content that is no text": 1,
    }
    message["content"] = {"text": "Hi."}
    assert not_kept(chat)["content of another form"] == 1


def test_an_unusual_name_is_not_repeated():
    said = {"uuid": "a", "sender": "human", "text": "Hi.", "\x1b[31m": 1, "x" * 1000: 2}
    assert not_kept({"uuid": "x", "chat_messages": [said]}) == {"field with an unusual name of messages": 2}


def test_the_end_of_a_long_title_is_counted_platform_27():
    conversation = conversations("claude")[0]
    before = not_kept(conversation)
    conversation["name"] = "word " * 60
    assert not_kept(conversation) == {**before, "end of a title of over 200 characters": 1}
    conversation["name"] = "w" * 200
    assert not_kept(conversation) == before
