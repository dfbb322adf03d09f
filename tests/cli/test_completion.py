"""Completion in a shell: commands, options, and stored names; fast, without a model and without a write."""

import hashlib
import json
from pathlib import Path

import pytest

from aeon.cli.completion import whole_words

STORED = """
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: shop_item
service: shop
connectionParams: {endpoint: "http://127.0.0.1:9"}
operation: {type: rest_request, path: "/{id}"}
inputSchema: {type: object, required: [id], properties: {id: {type: string}}}
---
kind: Process
name: visit
initialContext: []
steps:
  - {id: ask, tool: shop_item, inputs: {id: first}, output: ask, execution: {interactionMode: manual}}
"""


@pytest.fixture
def offered(aeon, monkeypatch):
    """`offered("log show 2")`: what bash offers at the end of that line after `aeon`."""

    def complete(line):
        words = line.split(" ")
        with monkeypatch.context() as shell:
            shell.setenv("_AEON_COMPLETE", "complete_bash")
            shell.setenv("COMP_WORDS", "aeon " + line)
            shell.setenv("COMP_CWORD", str(len(words)))
            ended = aeon()
        assert ended.err == ""
        return ended.out.split()

    return complete


@pytest.fixture
def stored(aeon):
    Path("stored.yaml").write_text(STORED)
    assert aeon("apply", "-f", "stored.yaml").code == 0


EVIL = """Buy "$(touch evil)" \\$(touch evil) `touch evil` '; touch evil # \x1b[31m\u202e [red]) :: Größe, 日本"""


def exported(id_, title, *texts):
    """A conversation of another product: a dialogue with these messages."""
    names = [f"{id_}{number}" for number in range(len(texts))]
    messages = {
        name: {
            "id": name,
            "parentId": names[number - 1] if number else None,
            "childrenIds": names[number + 1 : number + 2],
            "role": "assistant" if number % 2 else "user",
            "content": text,
            "timestamp": 1_600_000_000 + number,
        }
        for number, (name, text) in enumerate(zip(names, texts, strict=True))
    }
    chat = {"history": {"messages": messages, "currentId": names[-1]}}
    return {"id": id_, "title": title, "chat": chat, "updated_at": 1_600_000_000 + len(texts)}


@pytest.fixture
def talked(aeon):
    """Ids of conversations, the newest first."""
    chats = [exported("a", "Bread", "How much?", "1 kg."), exported("b", EVIL, EVIL, "No.", "Why?", "So.")]
    Path("chats.json").write_text(json.dumps(chats))
    assert aeon("conversation", "import", "chats.json").code == 0
    return aeon("conversation", "list", "-o", "name").out.split()


@pytest.fixture
def shown(aeon, monkeypatch):
    """`shown("fish", "log show ")`: what a shell that shows help is told."""

    def complete(shell, line):
        with monkeypatch.context() as environment:
            environment.setenv("_AEON_COMPLETE", f"complete_{shell}")
            environment.setenv("_TYPER_COMPLETE_ARGS", "aeon " + line)
            environment.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
            ended = aeon()
        assert ended.err == ""
        return ended.out

    return complete


def fingerprint():
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in Path().rglob("*")
    }


def test_commands_are_completed(offered):
    assert {"log", "run", "tool"} <= {*offered("")}
    assert offered("lo") == ["log"]
    assert {"show", "why", "events"} <= {*offered("log ")}
    assert offered("log sho") == ["show"]


def test_runs_are_completed_by_last_and_their_ids_the_newest_first(aeon, offered, plan_file):
    for _ in range(2):
        assert aeon("run", "--plan", plan_file).code == 0
    ids = [path.stem for path in Path(".aeon/logs").glob("*.jsonl")]
    listed = offered("log show ")
    assert (listed[0], {*listed[1:]}) == ("last", {*ids})
    assert offered("log why la") == ["last"]
    assert offered(f"log resume {ids[0][:-1]}") == [ids[0]]
    assert {*offered("log delete 2")} == {*ids}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("tool show shop", ["shop_item"]),
        ("tool call calc", ["calculator", "calculate_from_text"]),
        ("tool service show sh", ["shop"]),
        ("process run vi", ["visit"]),
        ("process schedule create daily vi", ["visit"]),
        ("log list --process vi", ["visit"]),
        ("skill show dice", ["dice-roller"]),
        ("skill run /dice", ["/dice-roller"]),
        ("model fetch sta", ["standard"]),
        ("run --model ti", ["tiny"]),
        ("process run nothing", []),
    ],
)
def test_stored_names_are_completed(stored, offered, line, names):
    assert offered(line) == names


def test_names_of_other_users_are_not_offered_unless_they_are_shared(aeon, stored, offered):
    assert "shop_item" not in offered("tool show --user ann s")
    assert offered("tool show --user me shop") == ["shop_item"]


def test_the_id_of_a_run_of_a_process_is_completed(aeon, stored, offered):
    assert aeon("process", "run", "visit").code == 3
    last, run = offered("log why ")
    assert last == "last"
    assert run == aeon("log", "list", "-o", "name").out.strip()


CONVERSATIONS = [
    "chat -c ",
    "chat --conversation ",
    *(f"conversation {verb} " for verb in ("show", "tree", "set", "archive", "restore", "forget", "export")),
    "conversation export last ",
    "conversation search flour --in ",
]
MESSAGES = [
    *(
        f"conversation {verb} "
        for verb in (
            "why",
            "memory",
            "edit",
            "continue",
            "regenerate",
            "switch",
            "stop",
            "fork",
            "compare",
            "compare last",
        )
    )
]


@pytest.mark.parametrize("line", CONVERSATIONS)
def test_conversations_are_completed_the_newest_first(talked, offered, line):
    assert offered(line) == ["last", *talked]
    assert offered(f"{line}{talked[1][:8]}")[0] == talked[1]
    assert offered(f"{line}la") == ["last"]
    assert offered(f"{line}no") == []


@pytest.mark.parametrize("line", MESSAGES)
def test_messages_and_answers_are_completed_the_newest_first(aeon, talked, offered, line):
    paths = [aeon("conversation", "show", each, "--json").json for each in talked]
    said = [[each["id"] for each in path["path"]] for path in paths]
    last, *found = offered(line)
    assert (last, {*found}) == ("last", {*said[0], *said[1]})
    assert found[:2] == said[0][:1:-1]
    assert offered(f"{line}{said[1][0][:8]}") == [said[1][0]]
    assert offered(f"{line}la") == ["last"]


def test_an_id_that_is_a_conversation_s_or_a_message_s_is_completed(aeon, talked, offered):
    message = aeon("conversation", "show", "last", "--json").json["path"][1]["id"]
    assert offered(f"conversation show {message[:8]}") == [message]
    assert offered(f"conversation forget {message[:8]}") == [message]
    assert offered(f"conversation tree {message[:8]}") == []


def test_at_most_fifty_are_offered_and_those_of_other_users_are_not(aeon, offered):
    Path("chats.json").write_text(json.dumps([exported(f"c{number}", "Many", "Hi.") for number in range(60)]))
    assert aeon("conversation", "import", "chats.json").code == 0
    assert len(offered("conversation show ")) == 50
    assert len(offered("conversation why ")) == 11, "last, and those of the newest ten"
    assert offered("conversation show --user ann ") == ["last"]
    assert offered("conversation why --user ann ") == ["last"]


def test_titles_and_beginnings_are_shown_and_no_shell_evaluates_them(aeon, talked, shown):
    """Attack: zsh evaluates what it is told, quotes and backslashes of a title included."""
    fish = dict(line.split("\t") for line in shown("fish", "conversation show ").splitlines()[1:])
    assert list(fish) == talked
    assert (fish[talked[1]], fish[talked[0]][:25]) == ("Bread", "Buy touch evil touch evil")
    answers = aeon("conversation", "show", talked[1], "--json").json["path"]
    assert f"{answers[1]['id']}\t1 kg." in shown("fish", "conversation why ").splitlines()
    zsh = shown("zsh", "conversation show ") + shown("zsh", "conversation why ")
    assert zsh.count("touch evil") > 3
    assert not {*"$`\\;#\x1b\u202e[]"} & {*zsh}


def test_the_first_message_stands_for_a_title(aeon, shown):
    Path("chats.json").write_text(json.dumps([exported("a", None, "How much flour do I need for a loaf?" * 3)]))
    assert aeon("conversation", "import", "chats.json").code == 0
    (_, line) = shown("fish", "conversation show ").splitlines()
    assert line.endswith("\tHow much flour do I need for a loaf?How much flour...")


def test_files_to_attach_are_left_to_the_shell(offered):
    Path("notes.txt").touch()
    assert offered("chat --attach ") == offered("chat --attach no") == []


@pytest.mark.parametrize(
    "line", ["log show ", "tool show ", "process run ", "skill show ", "model fetch ", "conversation show ", "chat -c "]
)
def test_a_completion_writes_nothing(stored, talked, offered, line):
    before = fingerprint()
    offered(line)
    assert fingerprint() == before


def test_where_nothing_is_nothing_is_made_and_a_fault_is_silent(offered):
    before = fingerprint()
    assert offered("log show ") == ["last"]
    assert offered("process run ") == []
    assert offered("conversation show ") == offered("conversation why ") == ["last"]
    assert fingerprint() == before
    Path("aeon.toml").write_text("not = [toml")
    assert offered("log show ") == []


def test_a_record_that_came_from_elsewhere_is_not_read_platform_21(stored, offered):
    (Path(".aeon") / "origin").unlink()
    assert offered("process run ") == []


def test_the_words_before_the_cursor_are_whole():
    """Bash and zsh pass the line in different variables."""
    assert whole_words({"COMP_WORDS": "aeon log sh"}) == ["log"]
    assert whole_words({"_TYPER_COMPLETE_ARGS": "aeon log show "}) == ["log", "show"]
    assert whole_words({}) == []
