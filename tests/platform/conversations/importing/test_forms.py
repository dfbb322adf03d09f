"""The public forms of ChatGPT, Claude and Open WebUI with their oddities: every node, the same current path (platform 27)."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from aeon.base.json import canonical_json
from aeon.platform.conversations.attachments import MAX_ATTACHMENT, MAX_ATTACHMENTS
from aeon.platform.conversations.importing.formats import read_conversation
from aeon.platform.conversations.importing.tree import BrokenConversationError

DATA = Path(__file__).parents[3] / "data" / "conversations"


@pytest.fixture
def trees():
    """`trees("chatgpt")`: the trees of a file's conversations."""

    def read(name):
        return [read_conversation(json.dumps(each)) for each in json.loads((DATA / f"{name}.json").read_text("utf-8"))]

    return read


def by_id(tree):
    return {each.id: each for each in tree.alternatives()}


def path(tree):
    found, at = [], tree.tip
    while at is not None:
        found.insert(0, at)
        at = by_id(tree)[at].responds_to
    return found


def speakers(tree):
    return {each.id: (turn.speaker, turn.turn_type) for turn in tree.turns for each in turn.alternatives}


def test_edits_and_regenerations_of_chatgpt_are_alternatives_platform_27(trees):
    tree = trees("chatgpt")[0]
    assert set(by_id(tree)) == {"root", "sys", "u1", "a1", "u2", "a2", "u1b", "a3b", "a3"}
    assert path(tree) == ["root", "sys", "u1b", "a3"]
    assert [[each.id for each in turn.alternatives] for turn in tree.turns if len(turn.alternatives) > 1] == [
        ["u1", "u1b"],
        ["a3b", "a3"],
    ]
    assert (tree.key, tree.title, tree.title_by, tree.pinned) == (
        "chatgpt:11111111-aaaa",
        "Flour for guests",
        "user",
        True,
    )
    assert tree.created_at == "2023-11-14T22:13:20.250000+00:00"
    found = by_id(tree)
    assert found["u1"].created_at == "2023-11-14T22:13:21.000000+00:00"
    assert (found["a2"].state, found["a2"].content, found["a2"].model) == ("stopped", "1.5 kg, and", "gpt-4o")
    assert found["sys"].imported["isHidden"]
    assert found["root"].imported["isEmptyNode"]
    assert found["sys"].imported["isTimeUnknown"]


def test_tools_thoughts_and_hidden_nodes_of_chatgpt_stay_in_the_chain_platform_27(trees):
    tree = trees("chatgpt")[1]
    found = by_id(tree)
    assert path(tree) == ["r", "ctx", "q", "think", "call", "result", "quote", "exec", "odd", "answer"]
    assert (tree.status, tree.title) == ("archived", "Weather with tools\u202e")
    assert found["ctx"].content == "I live in Bergen.\n\nBe brief."
    assert found["q"].content == "What is the weather in this picture, and at home?\nspoken words"
    assert found["think"].content == "Looking\n\nThe user wants two things."
    assert found["call"].imported["content"] == {"content_type": "code", "language": "unknown"}
    assert found["call"].imported["recipient"] == "browser"
    assert found["result"].content == "Bergen: rain"
    assert found["quote"].content == "Rain all week\n\nWeather"
    assert found["quote"].imported["content"]["url"] == "https://example.org"
    assert found["odd"].imported["givenRole"] == "critic"
    assert found["odd"].imported["content"]["payload"] == {"deep": [1, 2]}
    assert [speakers(tree)[id_] for id_ in ("q", "call", "exec")] == [
        ("user", "message"),
        ("agent", "message"),
        ("agent", "tool_result"),
    ]
    assert tree.not_kept == Counter(image=1, citation=1)
    assert found["q"].imported["attachments"] == ["sky.png"]


def test_siblings_of_different_roles_share_a_turn_and_keep_their_roles_platform_27(trees):
    tree = trees("chatgpt")[1]
    (turn,) = [turn for turn in tree.turns if turn.via == "q"]
    assert {each.id: each.imported["role"] for each in turn.alternatives} == {"think": "assistant", "side": "tool"}
    assert (turn.speaker, turn.turn_type) == ("agent", "message")  # the shown one's
    assert sum(tree.remarks.values()) == 1


def test_orphans_circles_and_second_roots_are_kept_and_listed_platform_27(trees):
    tree = trees("chatgpt")[2]
    found = by_id(tree)
    assert len(found) == 10
    assert path(tree) == ["second"]  # the newest: the file names one that is not there
    assert [each.id for each in tree.turns[0].alternatives] == ["c1", "self", "top", "orphan", "second"]
    assert found["c1"].imported["fault"] == "in a circle of parents"
    assert (found["c2"].responds_to, found["c3"].responds_to) == ("c1", "c2")
    assert found["orphan"].imported["parent"] == "missing"
    assert found["below"].responds_to == "orphan"
    assert found["one"].content == "A question\ufffd with a NUL and \ufffd a half"
    assert tree.not_kept == {"character that no text can hold": 2}
    assert tree.remarks["message in a circle of parents; it stands beside the first message"] == 2
    assert tree.remarks["message whose parent is missing; it stands beside the first message"] == 1


def test_branches_of_claude_follow_the_parents_that_its_messages_name_platform_27(trees):
    tree = trees("claude")[0]
    found = by_id(tree)
    assert path(tree) == ["m1", "m2", "m4"]
    assert [[each.id for each in turn.alternatives] for turn in tree.turns] == [["m1"], ["m2", "m3"], ["m4"]]
    assert found["m2"].content == "Let me look.\n\nLuna or Max."
    assert [each["type"] for each in found["m2"].imported["blocks"]] == ["thinking", "tool_use", "tool_result"]
    assert found["m3"].state == "stopped"
    assert found["m1"].imported["attachments"] == [{"name": "notes.txt", "type": "txt", "size": 12}]
    assert [(each.name, each.text) for each in found["m1"].attachments] == [("notes.txt", "it is black")]
    assert tree.not_kept == Counter(file=1)
    assert found["m1"].created_at == "2026-01-05T10:00:01.000000+00:00"


def test_texts_that_cannot_be_attached_are_counted_platform_27():
    conversation = json.loads((DATA / "claude.json").read_text("utf-8"))[0]
    texts = ["x" * (MAX_ATTACHMENT + 1), "a\0b", *(f"text {number}" for number in range(MAX_ATTACHMENTS))]
    conversation["chat_messages"][0]["attachments"] = [{"extracted_content": text} for text in texts]
    tree = read_conversation(json.dumps(conversation))
    first = by_id(tree)["m1"]
    lost = {"attached text of over 10 MiB": 1, "attached text beyond the 20 of a message": 1}
    assert tree.not_kept == {**lost, "file": 1, "character that no text can hold": 1}
    assert first.imported["notKept"] == {**lost, "file": 1}
    assert (len(first.attachments), first.attachments[0].text) == (MAX_ATTACHMENTS, "a\ufffdb")


def test_an_older_export_of_claude_is_a_chain_platform_27(trees):
    _, linear, empty = trees("claude")
    assert path(linear) == ["l1", "l2", "l3"]
    assert (linear.title, linear.title_by) == (None, None)
    assert linear.not_kept == Counter(file=1)
    assert (empty.tip, empty.turns) == (None, [])


def test_open_webui_may_have_several_first_messages_and_answers_that_failed_platform_27(trees):
    tree, lost = trees("open_webui")
    found = by_id(tree)
    assert path(tree) == ["p1", "q2", "p3", "q4"]
    assert [each.id for each in tree.turns[0].alternatives] == ["p1", "p2"]
    assert (found["q3"].state, found["q3"].content, found["q3"].failure) == ("failed", None, "out of memory")
    assert found["q4"].state == "stopped"
    assert found["p3"].content == "And this picture?"
    assert tree.not_kept == Counter(image=2, file=1, citation=1)
    assert (tree.status, tree.pinned, tree.tags) == ("archived", True, ["jokes", "with comma"])
    assert found["q1"].imported["usage"] == {"prompt_tokens": 5, "completion_tokens": 2}
    assert path(lost) == ["x"]
    assert sum(lost.remarks.values()) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"mapping": {"a": 7}}', "mapping.a is not an object"),
        ('{"mapping": {"a": {"message": []}}}', "mapping.a.message is not an object"),
        ('{"chat_messages": ["x"]}', r"chat_messages\[0\] is not an object"),
        ('{"history": {"messages": {"x": null}}}', "history.messages.x is not an object"),
        ('{"title": "only"}', "its form is not known"),
        ('{"mapping": {}', "it is not JSON"),
        ('{"mapping": {"a": NaN}}', "it is not JSON"),
        ("[1]", "it is not an object"),
        ('{"mapping": ' + "[" * 200_000 + "]" * 200_000 + "}", "nested too deeply"),
        ('{"title": "\udcff"}', "not UTF-8"),
        ('{"format": "aeon.conversation", "version": 2}', "its version is 2; this Aeon reads version 1"),
    ],
)
def test_a_broken_conversation_says_what_is_wrong_and_where(text, reason):
    with pytest.raises(BrokenConversationError, match=reason):
        read_conversation(text)


def test_a_given_format_is_the_only_one_that_is_read():
    with pytest.raises(BrokenConversationError, match="not a conversation of Claude"):
        read_conversation('{"mapping": {}}', "claude")


def test_a_conversation_without_an_id_has_its_digest_as_key():
    value = {"chat": {"history": {"messages": {}}}, "title": "x"}
    keys = {read_conversation(text).key for text in (json.dumps(value), canonical_json(value))}
    assert len(keys) == 1
    assert keys != {read_conversation(json.dumps(value | {"title": "y"})).key}


@pytest.mark.parametrize("at", [-1, "yesterday", 1e400, True, None, {}, 0])
def test_a_time_that_is_none_is_said_to_be_unknown(at):
    message = {"uuid": "a", "sender": "human", "text": "Hi", "created_at": at}
    text = json.dumps({"uuid": "x", "chat_messages": [message]}).replace("Infinity", '"Infinity"')
    (found,) = read_conversation(text).alternatives()
    assert found.imported["isTimeUnknown"]


@pytest.mark.parametrize("at", [1700000000, 1700000000000, 1700000000000000, 1700000000000000000])
def test_times_are_seconds_or_smaller_units(at):
    text = json.dumps({"history": {"messages": {"a": {"role": "user", "content": "x", "timestamp": at}}}})
    (found,) = read_conversation(text).alternatives()
    assert found.created_at == "2023-11-14T22:13:20.000000+00:00"


_READS = """
import json, re
from pathlib import Path
from aeon.platform.conversations.importing.formats import read_conversation
from aeon.platform.conversations.importing.json_elements import split_elements

message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["word " * 200]}}
nodes = {str(n): {"parent": str(n - 1) if n else None, "message": message} for n in range(9)}
conversation = json.dumps({"conversation_id": "x", "mapping": nodes})

def chunks():
    yield "["
    for _ in range(10_000):
        yield conversation + ","

read = sum(len(list(read_conversation(each.text).alternatives())) for each in split_elements(chunks(), 1 << 27) if each.text)
print(read, len(conversation) * 10_000, int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.slow
def test_a_hundred_megabytes_are_read_in_constant_memory_platform_27():
    ended = subprocess.run([sys.executable, "-c", _READS], capture_output=True, text=True, check=True)
    messages, size, megabytes = map(int, ended.stdout.split())
    assert messages == 90_000
    assert size > 90_000_000
    assert megabytes < 80
