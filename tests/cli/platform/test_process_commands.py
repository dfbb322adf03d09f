"""`aeon process`, and Processes in `aeon apply`, `aeon tool` and `aeon tool uses`, on a real graph."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.server

FILE = """
kind: Process
name: research
description: Looks a topic up.
initialContext: [topic]
steps:
  - id: look
    process: look up
    inputs: {word: "{topic}"}
    output: found
  - id: sum
    tool: summarize
    inputs: {text: "{step.found}"}
    dependsOn: [look]
    output: summary
outputTemplate: "{{topic}}: {{step.summary.summary}}"
---
kind: Process
name: look up
initialContext: [word]
shared: true
steps:
  - {id: get, tool: item, inputs: {id: "{word}"}, output: item}
---
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: item
service: shop
connectionParams: {endpoint: "http://127.0.0.1"}
operation: {type: rest_request, path: "/items/{id}"}
inputSchema: {type: object, required: [id], properties: {id: {type: string}}}
"""

CHANGED = FILE.replace("[look]\n", "[look]\n    execution: {timeout: 90}\n").replace("{{topic}}: ", "{{topic}} - ")


def flat(said):
    return " ".join(said.err.split())


@pytest.fixture
def research(aeon):
    aeon("init")
    Path("research.yaml").write_text(FILE)
    said = aeon("apply", "-f", "research.yaml")
    assert said.code == 0, said.err
    return said


def test_processes_are_applied_in_order_and_once(aeon, research):
    """The file's defaults, own tools and other processes, by name."""
    assert research.out == "+ Service shop\n+ Tool item\n+ Process look up\n+ Process research\n"
    assert aeon("apply", "-f", "research.yaml").err == "0 of 4 changed\n"
    listed = aeon("process", "list")
    assert listed.cells("NAME", "OWNER", "STEPS")[:3] == [
        ("look up", "you", "1"),
        ("research", "you", "2"),
        ("answer_and_keep", "aeon", "2"),
    ]
    assert listed.cells("NAME", "WHAT")[1] == ("research", "Looks a topic up.")
    assert aeon("process", "list", "--json").json[1]["name"] == "research"
    assert aeon("process", "list").out == listed.out


def test_what_would_change_is_shown_step_by_step(aeon, research):
    Path("changed.yaml").write_text(CHANGED)
    dry = aeon("apply", "-f", "changed.yaml", "--dry-run")
    shown = "~ Process research: steps, outputTemplate\n    ~ step sum execution.timeout\n"
    assert (dry.code, dry.out.endswith(shown), dry.err) == (0, True, "1 of 4 would change\n")
    data = aeon("apply", "-f", "changed.yaml", "--dry-run", "--json").json["steps"][3]
    assert (data["fields"], data["details"]) == (["steps", "outputTemplate"], ["~ step sum execution.timeout"])
    against = aeon("process", "diff", "research", "changed.yaml")
    assert against.out == "~ outputTemplate\n~ step sum execution.timeout\n"
    assert "to changed.yaml" in against.err
    alone = aeon("process", "diff", "research")
    assert (alone.code, "'research' has only one version" in flat(alone)) == (2, True)


def test_versions_are_shown_and_compared(aeon, research):
    Path("changed.yaml").write_text(CHANGED)
    aeon("apply", "-f", "changed.yaml")
    shown = aeon("process", "show", "research").json
    first, now = shown["versions"]
    assert (shown["digest"], now["version"]) == (now["digest"], 2)
    then = aeon("process", "show", "research", "--version", first["digest"][:8]).json
    assert (then["outputTemplate"], then["version"], then["name"]) == (
        "{{topic}}: {{step.summary.summary}}",
        1,
        "research",
    )
    assert aeon("process", "diff", "research").out == "~ outputTemplate\n~ step sum execution.timeout\n"
    told = aeon("process", "diff", "research", now["digest"][:12], first["digest"][:12], "--json").json
    assert (told["old"], told["new"]) == (now["digest"][:12], first["digest"][:12])
    assert told["differences"][1] == {
        "step": "sum",
        "verb": "changed",
        "field": "execution.timeout",
        "old": 90,
        "new": 60,
    }
    assert aeon("process", "diff", "research", now["digest"][:12]).out == ""
    assert aeon("process", "diff", "research", first["digest"][:12], "research.yaml").out == ""


def test_a_number_in_place_of_a_version_is_told_what_names_one(aeon, research):
    refused = aeon("process", "diff", "research", "1", "2")
    assert refused.code == 2
    assert "1 cannot be read: there is no such file, and no version is called so." in flat(refused)
    assert "Give the beginning of a digest" in flat(refused)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "research", "--version", "00000000"), "No versions begin with '00000000'"),
        (("show", "nobody"), "There is nothing named 'nobody'"),
        (("diff", "research", "nowhere.yaml"), "nowhere.yaml cannot be read"),
        (("diff", "research", "other.yaml"), "other.yaml does not describe the Process 'research'"),
    ],
)
def test_what_is_not_there_is_said_plainly(aeon, research, words, said):
    Path("other.yaml").write_text("kind: Service\nname: x\n")
    refused = aeon("process", *words)
    assert (refused.code, said in flat(refused)) == (2, True)


def test_who_calls_what_is_told_and_keeps_it(aeon, research):
    assert aeon("tool", "uses", "item").cells("KIND", "NAME", "OWNER") == [("process", "look up", "me")]
    assert aeon("process", "uses", "look up").cells("KIND", "NAME", "OWNER") == [("process", "research", "me")]
    refused = aeon("tool", "delete", "--yes", "item")
    assert (refused.code, "is still used by look up" in refused.err) == (1, True)
    refused = aeon("process", "delete", "--yes", "look up")
    assert (refused.code, "is still used by research" in refused.err) == (1, True)
    assert aeon("process", "rename", "look up", "find").out == "renamed look up to find\n"
    assert aeon("process", "show", "find").json["steps"][0]["id"] == "get"
    assert aeon("process", "delete", "--yes", "research").out == "deleted research\n"
    assert aeon("process", "delete", "--yes", "find").code == 0
    assert aeon("tool", "delete", "--yes", "item").code == 0
    assert "No such command 'archive'" in flat(aeon("process", "archive", "find"))


def test_of_another_s_process_the_version_of_now_is_shown(aeon, research):
    """Platform 2."""
    id_ = aeon("process", "show", "look up").json["id"]
    shown = aeon("process", "show", id_, "--user", "other").json
    assert (shown["ownerId"], len(shown["versions"])) == ("me", 1)
    listed = aeon("process", "list", "--user", "other")
    assert ("look up", id_, "me", "1") in listed.cells("NAME", "ID", "OWNER", "STEPS")
    assert "Looks a topic up" not in listed.out


def test_everything_wrong_is_told_with_its_path(aeon, research):
    Path("wrong.yaml").write_text(CHANGED.replace("tool: item", "tool: nothing").replace("{{topic}}", "{{topik}}"))
    refused = aeon("apply", "-f", "wrong.yaml", "--dry-run")
    assert refused.code == 2
    assert "Process 'look up': $.steps[0].tool: there is no tool 'nothing'" in flat(refused)
    assert "Process 'research': $.outputTemplate: " in flat(refused)
