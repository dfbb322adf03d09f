"""`aeon process run|answer|graph` and `aeon log`: from a question to its answer, from a failure to its retry."""

import json
import select
import socket
import sqlite3
import xml.etree.ElementTree as ET
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

pytestmark = pytest.mark.server

ASKING = """
kind: Process
name: visit
initialContext: [who]
steps:
  - {id: first, tool: item, inputs: {id: first}, output: first}
  - {id: ask, tool: item, inputs: {id: "{who}"}, output: ask, execution: {interactionMode: manual}}
  - {id: last, tool: item, inputs: {id: "{step.ask}"}, dependsOn: [ask], output: last}
outputTemplate: "{{who}}: {{step.last.body.path}}"
"""
CALLING = """
kind: Process
name: outer
initialContext: [who]
steps:
  - {id: ask, tool: item, inputs: {id: "{who}"}, output: ask, execution: {interactionMode: manual}}
  - {id: inner, process: fetch, inputs: {thing: "{step.ask}"}, dependsOn: [ask], output: inner}
outputTemplate: "{{step.inner}}"
---
kind: Process
name: fetch
initialContext: [thing]
steps:
  - {id: get, tool: item, inputs: {id: "{thing}"}, output: get}
outputTemplate: "got {{step.get.body.path}}"
"""
FAILING = """
kind: Process
name: search
initialContext: []
steps:
  - {id: first, tool: item, inputs: {id: first}, output: first}
  - {id: lost, tool: item, inputs: {id: lost}, output: lost}
"""


@pytest.mark.slow
def test_a_question_ends_the_command_and_its_answer_goes_on(aeon, applied, shop, tmp_path):
    """Platform 9: the pause survives the process that asked."""
    applied(ASKING)
    asked = aeon("process", "run", "visit", "--input", "who=Ann")
    assert asked.code == 3
    assert "ask waits for an answer from me" in asked.err
    assert "aeon log answer" in asked.err
    assert [each["step"] for each in aeon("log", "why", "last", "--json").json] == ["ask", "last"]
    stranger = aeon("log", "answer", "last", "ask", "mine", "--user", "stranger")
    assert stranger.code == 2
    done = aeon("log", "answer", "last", "ask", "garden")
    assert (done.code, done.out) == (0, "Ann: /garden\n")
    late = aeon("log", "answer", "last", "ask", "attic")
    assert late.code == 2
    assert "takes no answer. It has ended: it is completed." in " ".join(late.err.split())
    assert "aeon log show" in late.err
    assert shop.calls == {"/first": 1, "/garden": 1}
    picture = tmp_path / "visit.svg"
    assert aeon("process", "draw", "visit", "--run", "last", "--svg", picture).code == 0
    assert ET.parse(picture).getroot().tag.endswith("svg")  # noqa: S314  # our own file
    assert 's1[/"ask<br/>tool item<br/>' in aeon("process", "draw", "visit", "--run", "last", "--mermaid").out
    assert aeon("process", "draw", "visit", "--svg", picture, "--mermaid").code == 2


@pytest.mark.slow
def test_an_answer_that_comes_too_late_is_refused(aeon, applied, shop):
    """Platform 9: it is not said to be answered, and the run goes on without once it is resumed."""
    applied(ASKING.replace("interactionMode: manual", "interactionMode: manual, timeout: 3"))
    assert aeon("process", "run", "visit", "--input", "who=Ann").code == 3
    select.select([], [], [], 3.0)
    assert aeon("process", "job", "list", "--type", "human", "--json").json == []
    late = aeon("log", "answer", "last", "ask", "garden")
    told = " ".join(late.err.split())
    assert (late.code, late.out) == (2, "")
    assert "has timed out: nobody answered within 3 s" in told
    assert "aeon log resume" in told
    assert "is answered" not in told
    assert aeon("log", "resume", "last").code == 1
    ended = aeon("log", "answer", "last", "ask", "garden", "--json")
    assert ended.code == 2
    assert "It has ended: it is failed." in " ".join(ended.err.split())
    assert "aeon log retry" in ended.err
    assert shop.calls == {"/first": 1}


@pytest.mark.slow
def test_a_failure_says_what_to_do_and_a_retry_keeps_what_was_done(aeon, applied, shop):
    """Platform 8: the failure names step, tool, attempts and cause; what was completed is not done again."""
    applied(FAILING)
    failed = aeon("process", "run", "search", "--json")
    assert failed.code == 1
    assert failed.json["phase"] == "failed"
    assert failed.json["failure"]["step"] == "lost"
    told = aeon("log", "show", "last", "--json").json
    assert [(each["step"], each["outcome"]) for each in told["steps"]] == [("first", "completed"), ("lost", "failed")]
    assert told["steps"][1]["inputs"] == {"id": "lost"}
    again = aeon("log", "retry", "last")
    assert again.code == 1
    assert "aeon log retry" in again.err
    assert shop.calls == {"/first": 1, "/lost": 2}
    listed = aeon("log", "list", "--json").json
    assert [(each["kind"], each["state"]) for each in listed] == [("process", "failed")] * 2
    assert [aeon("log", "show", each["id"], "--json").json["trigger"] for each in listed] == ["retry", "user"]
    events = [json.loads(line) for line in aeon("log", "events", told["id"], "--after", "2").out.splitlines()]
    assert [each["n"] for each in events] == [3, 4, 5, 6]


@pytest.mark.slow
def test_a_followed_run_that_is_cancelled_elsewhere_says_so_and_by_whom(aeon, background):
    Path("w.yaml").write_text("kind: Process\nname: w\nsteps:\n  - {id: a, wait: 600, output: a}\n")
    assert aeon("apply", "-f", "w.yaml").code == 0
    following = background("process", "run", "w")
    following.says("a waits")
    assert aeon("log", "cancel", "last").code == 0
    assert following.waited() == 1
    assert "error: The run was cancelled by me." in following.err
    assert "next: Go on from what it completed: aeon log retry " in following.err


@pytest.mark.slow
def test_a_run_that_nobody_carries_out_is_cancelled(aeon, applied, shop):
    applied(ASKING)
    aeon("process", "run", "visit", "--input", "who=Ann")
    assert aeon("log", "cancel", "last").code == 0
    assert aeon("log", "show", "last").out.startswith("cancelled")
    assert aeon("log", "cancel", "last").code == 2
    assert shop.calls == {"/first": 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (("process", "run", "nothing"), 2, "There is nothing named 'nothing'"),
        (("process", "run", "visit"), 2, "it lacks who"),
        (("process", "run", "visit", "--input", "who"), 2, "not of the form NAME=VALUE or NAME@FILE: who"),
        (("process", "run", "visit", "--input", "who=1", "--input", "x=2"), 2, "it has no input x"),
        (("log", "show", "last"), 2, "Nothing ran yet"),
        (("log", "resume", "nothing"), 2, "You have no run 'nothing'"),
        (("process", "draw", "visit", "--svg", "/nowhere/at/all.svg"), 2, "cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_told_with_what_to_do(aeon, applied, argv, code, said):
    applied(ASKING)
    told = aeon(*argv)
    assert told.code == code
    assert said in " ".join(told.err.split())
    assert "next:" in told.err


@pytest.mark.slow
def test_the_same_key_is_the_same_run(aeon, applied, shop):
    """Platform 20: nothing is done again, and the output is the first one."""
    applied(
        """
kind: Process
name: fetch
initialContext: []
steps:
  - {id: first, tool: item, inputs: {id: first}, output: first}
outputTemplate: "{{step.first.body.path}}"
"""
    )
    told = [aeon("process", "run", "fetch", "--key", "today") for _ in range(2)]
    assert [(each.code, each.out) for each in told] == [(0, "/first\n")] * 2
    assert shop.calls == {"/first": 1}
    assert len(aeon("log", "list", "--json").json) == 1


@pytest.mark.slow
def test_what_one_user_remembers_no_other_is_told(aeon):
    """Platform 2: the shipped memory knows whose it is."""
    aeon("init")
    kept = aeon("tool", "call", "remember", "--user", "ann", "--input", '{"key": "k", "value": "of ann"}')
    assert kept.code == 0, kept.err
    found = {
        user: aeon("tool", "call", "recall", "--user", user, "--input", '{"key": "k"}', "--json").json["output"]
        for user in ("ann", "bob", "me")
    }
    assert {user: each["memory"]["found"] for user, each in found.items()} == {"ann": True, "bob": False, "me": False}


@pytest.mark.slow
@pytest.mark.parametrize(("document", "name", "shown"), [(ASKING, "visit", "Ann: {}"), (CALLING, "outer", "got {}")])
def test_after_a_restore_a_run_uses_no_result_of_a_call_that_it_does_not_make(
    aeon, applied, shop, document, name, shown
):
    """The threat: another answer than before the restore, and the result of what was called then."""
    applied(document)
    assert aeon("process", "run", name, "--input", "who=Ann").code == 3
    assert aeon("store", "backup", "asked.db").code == 0
    before = dict(shop.calls)
    for answer in ("garden", "attic", "attic"):
        done = aeon("log", "answer", "last", "ask", answer)
        assert (done.code, done.out) == (0, shown.format(f"/{answer}") + "\n")
        assert aeon("store", "restore", "asked.db", "--yes").code == 0
    assert shop.calls == {**before, "/garden": 1, "/attic": 1}, "the same call again has its result"


@pytest.mark.slow
def test_a_run_is_continued_by_one_retry(aeon, applied, shop):
    applied(FAILING)
    aeon("process", "run", "search")
    first = aeon("log", "list", "-o", "name").out.split()[0]
    aeon("log", "retry", first)
    second = aeon("log", "list", "-o", "name").out.split()[0]
    again = aeon("log", "retry", first)
    told = " ".join(again.err.split())
    assert again.code == 2
    assert f"was retried already, as the run {second}, which is failed" in told
    assert f"aeon log retry {second}" in told
    assert shop.calls == {"/first": 1, "/lost": 2}


@pytest.mark.slow
@pytest.mark.parametrize("target", ["tool: item", "process: send"])
def test_a_retry_makes_a_call_that_may_have_happened_under_its_earlier_key_platform_10(aeon, applied, shop, target):
    """The threat: a service that heeds keys charges twice. One that refused a call would repeat the refusal."""
    send = "kind: Process\nname: send\ninitialContext: [id]\nsteps:\n  - {id: go, tool: item, inputs: {id: '{id}'}, output: go"
    once = ", retry: {attempts: 1}"
    inner = "" if target.startswith("tool") else once
    outer = once if target.startswith("tool") else ""
    for path, keys in (("cut", 1), ("lost", 3)):
        failing = FAILING.replace("tool: item, inputs: {id: lost}", f"{target}, inputs: {{id: {path}}}{outer}")
        applied(f"{send}{inner}}}\n---{failing}")
        shop.jobs.clear()
        assert aeon("process", "run", "search").code == 1
        assert [aeon("log", "retry", "last").code for _ in range(2)] == [1, 1]
        calls = Counter({key: times for key, times in shop.jobs.items() if ":first:" not in key})
        assert (len(calls), calls.total()) == (keys, 3), calls


@pytest.mark.slow
def test_runs_of_temporal_are_left_alone_until_they_are_adopted(aeon, applied, shop):
    """The threat: a worker whose settings name another engine executes them beside Temporal's own workers."""
    applied(ASKING)
    assert aeon("process", "run", "visit", "--input", "who=Ann").code == 3
    with closing(sqlite3.connect(".aeon/aeon.db")) as record, record:
        record.execute("UPDATE runs SET executor = 'temporal'")
    refused = aeon("log", "resume", "last")
    assert refused.code == 1
    assert "is executed by Temporal, and the settings here name another engine" in " ".join(refused.err.split())
    assert "is answered" in aeon("log", "answer", "last", "ask", "garden").err
    assert shop.calls == {"/first": 1}
    looked, adopted = aeon("log", "adopt", "--dry-run"), aeon("log", "adopt")
    assert looked.out.startswith("the runs would be kept in ")
    assert "from now on" in adopted.out
    done = aeon("log", "resume", "last")
    assert (done.code, done.out) == (0, "Ann: /garden\n")
    assert shop.calls == {"/first": 1, "/garden": 1}


@pytest.mark.slow
def test_a_second_place_for_runs_is_refused_until_it_is_adopted_e5(aeon, applied, shop):
    """The runs' database was lost: nothing goes on from an empty one without a word."""
    applied(ASKING)
    assert aeon("process", "run", "visit", "--input", "who=Ann").code == 3
    for file in Path(".aeon").glob("runs.db*"):
        file.unlink()

    refused = aeon("process", "run", "visit", "--input", "who=Ben")
    told = " ".join(refused.err.split())
    assert (refused.code, refused.out) == (2, "")
    assert "The runs of this record are stored in " in told
    assert "aeon log adopt --dry-run" in told
    assert aeon("log", "answer", "last", "ask", "garden").code == 2
    assert shop.calls == {"/first": 1}

    looked = aeon("log", "adopt", "--dry-run", "--json").json
    assert (looked["openRuns"], looked["adopted"]) == (1, False)
    assert aeon("process", "run", "visit", "--input", "who=Ben").code == 2
    adopted = aeon("log", "adopt")
    assert adopted.code == 0
    assert "1 open run(s) continue from what the record has of them" in " ".join(adopted.err.split())
    assert "already" in aeon("log", "adopt").out

    assert aeon("process", "run", "visit", "--input", "who=Ben").code == 3
    assert shop.calls["/first"] >= 2


APPROVAL = """
kind: Process
name: approval
initialContext: []
steps:
  - {id: ask, tool: item, inputs: {id: first}, output: said, execution: {interactionMode: manual}, question: {assignee: ann}}
  - {id: last, tool: item, dependsOn: [ask], inputs: {id: "{step.said.answer.place}"}, output: last, execution: {condition: step.said.approved}}
"""


@pytest.mark.slow
def test_an_answer_with_fields_is_shown_as_such_and_one_without_a_worker_says_who_goes_on(aeon, applied):
    """`yes` was offered, and the step after it failed; an assignee's answer seemed to go on by itself."""
    aeon("init", "--user", "ann")
    applied(APPROVAL)
    asked = aeon("process", "run", "approval")
    assert """ask '{"answer": "...", "approved": "..."}'""" in " ".join(asked.err.split())
    run = aeon("log", "list", "--json").json[0]["id"]
    told = " ".join(aeon("log", "answer", run, "ask", '{"approved": false}', "--user", "ann").err.split())
    assert "is answered" in told
    assert (
        f"No worker is up: the run goes on once there is one (aeon serve worker), or its owner resumes it: aeon log resume {run}"
        in told
    )


@pytest.mark.slow
def test_a_run_whose_process_is_deleted_is_refused_by_its_name(aeon, applied):
    applied(ASKING)
    aeon("process", "run", "visit", "--input", "who=Ann")
    aeon("log", "cancel", "last")
    assert aeon("process", "delete", "visit", "--yes").code == 0
    for latest in ([], ["--latest"]):
        refused = aeon("log", "retry", "last", *latest)
        assert (refused.code, "The process 'visit' is deleted" in " ".join(refused.err.split())) == (2, True)


@pytest.mark.slow
def test_a_temporal_that_does_not_answer_is_named_when_a_run_is_accepted_and_by_why(aeon, applied, monkeypatch):
    """`process run -d` printed an id and nothing else, and `why` asked for a worker."""
    pytest.importorskip("temporalio")
    applied(ASKING)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AEON_ENGINE_ADDRESS", f"temporal://127.0.0.1:{unused.getsockname()[1]}/default")
        accepted = aeon("process", "run", "visit", "--input", "who=Ann", "-d")
        assert (accepted.code, "No Temporal answers at 127.0.0.1" in " ".join(accepted.err.split())) == (0, True)
        (first, *_) = aeon("log", "why", accepted.out.strip(), "--json").json
        assert (first["why"], "No Temporal answers at 127.0.0.1" in first["message"]) == ("engine", True)
