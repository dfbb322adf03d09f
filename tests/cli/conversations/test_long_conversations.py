"""Conversations of more messages than one window of a path has: every message has its number, and can be reached."""

import json

import pytest

from aeon.base.errors import InputError

LENGTH = 1000


@pytest.fixture
def long(aeon, tmp_path):
    """The only conversation has no title and 1,000 messages: 1, 2, 3, ..."""
    mapping = {}
    for number in range(1, LENGTH + 1):
        role = "user" if number % 2 else "assistant"
        content = {"content_type": "text", "parts": [f"This is number {number}."]}
        parent = str(number - 1) if number > 1 else None
        message = {"author": {"role": role}, "content": content, "create_time": 1_700_000_000 + number}
        mapping[str(number)] = {"id": str(number), "parent": parent, "children": [], "message": message}
    exported = {"conversation_id": "long", "title": "", "mapping": mapping, "current_node": str(LENGTH)}
    (tmp_path / "long.json").write_text(json.dumps([exported]), "utf-8")
    assert aeon("conversation", "import", tmp_path / "long.json").code == 0


def numbers(shown):
    return [int(line[1:].partition("]")[0]) for line in shown.splitlines() if line.startswith("[")]


def test_show_says_how_many_messages_stand_before_and_how_to_see_them(long, aeon):
    shown = aeon("conversation", "show", "last")
    assert numbers(shown.out) == [*range(801, 1001)]
    assert "800 earlier messages are not shown; see them with --before 801" in shown.err
    before = aeon("conversation", "show", "last", "--before", 801, "--limit", 3, "--json").json
    assert [each["depth"] for each in before["path"]] == [798, 799, 800]
    assert before["earlier"] == 797
    first = aeon("conversation", "show", "last", "--before", 4)
    assert numbers(first.out) == [1, 2, 3]
    assert "earlier" not in first.err
    assert "nothing stands before that message" in aeon("conversation", "show", "last", "--before", 1).err


def test_an_early_message_is_on_the_visible_path(long, aeon):
    early = aeon("conversation", "show", "last", "--before", 6, "--json").json["path"][-1]["id"]
    shown = aeon("conversation", "show", early)
    assert numbers(shown.out) == [1, 2, 3, 4, 5]
    assert "another branch" not in shown.err


def test_a_long_conversation_without_a_title_is_called_by_its_first_message(long, aeon):
    assert "This is number 1." in aeon("conversation", "list").out
    assert "This is number 1." in aeon("conversation", "show", "last").err


def test_slash_commands_find_every_message_by_its_number(long, slash):
    assert slash("/edit 1") == "/edit 1 This is number 1."
    assert "This is number 2." in slash("/alternatives 2")
    assert "now in its fork" in slash("/fork 5")


def test_a_chat_shows_what_stands_before_a_number(long, slash):
    shown = slash("/show")
    assert numbers(shown)[0] == 801
    assert "800 earlier messages are not shown; see them with /show 801" in shown
    assert numbers(slash("/show 801")) == [*range(601, 801)]
    assert numbers(slash("/show 3")) == [1, 2]
    assert "nothing stands before that message" in slash("/show 1")


@pytest.mark.parametrize("line", ["/edit 1001 x", "/edit 0 x", "/fork 1001", "/alternatives 1001"])
def test_a_number_that_is_not_there_is_refused(long, slash, line):
    with pytest.raises(InputError, match="its last is 1000"):
        slash(line)
