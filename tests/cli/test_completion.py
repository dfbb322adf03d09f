"""Completion in a shell: commands, options, and stored names; fast, without a model and without a write."""

import hashlib
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
        ("tool call calc", ["calculator"]),
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


@pytest.mark.parametrize("line", ["log show ", "tool show ", "process run ", "skill show ", "model fetch "])
def test_a_completion_writes_nothing(stored, offered, line):
    before = fingerprint()
    offered(line)
    assert fingerprint() == before


def test_where_nothing_is_nothing_is_made_and_a_fault_is_silent(offered):
    before = fingerprint()
    assert offered("log show ") == ["last"]
    assert offered("process run ") == []
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
