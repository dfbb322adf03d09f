"""Operating runs: detached, found again by tags and texts, paused, cancelled and retried together (platform 41)."""

import signal

import pytest

from .conftest import until

pytestmark = pytest.mark.slow

VISIT = """
kind: Process
name: visit
initialContext: [id]
steps:
  - {id: go, tool: item, inputs: {id: "{id}"}, output: gone}
  - {id: back, tool: item, inputs: {id: home}, output: back}
outputTemplate: "{{step.gone.body.path}}"
"""

ASK = """
kind: Process
name: ask
initialContext: []
steps:
  - id: ask
    tool: item
    inputs: {id: x}
    output: said
    execution: {interactionMode: manual, timeout: 600}
    question: {assignee: bob}
"""


def ids(aeon, *filters):
    return aeon("log", "list", "--kind", "process", "-o", "name", *filters).out.split()


@pytest.mark.server
def test_a_detached_run_is_executed_by_a_worker(aeon, applied, background, shop):
    applied(VISIT)
    accepted = aeon("process", "run", "visit", "--input", "id=garden", "--detach", "--tag", "team=red")
    assert accepted.code == 0
    assert "No worker is up" in accepted.err
    run = accepted.out.strip()
    assert ids(aeon, "--tag", "team=red") == [run]
    worker = background("serve", "worker")
    worker.says(f"run {run} of visit is completed")
    assert shop.calls == {"/garden": 1, "/home": 1}
    again = aeon("process", "run", "visit", "--input", "id=attic", "-d", "--json")
    assert "No worker" not in again.err
    worker.says(f"run {again.json['id']} of visit is completed")
    assert worker.ends(signal.SIGTERM) == 0


def test_runs_are_found_by_what_they_are_about(aeon, applied):
    applied(VISIT)
    red = aeon("process", "run", "visit", "--input", "id=garden", "--tag", "team=red", "--json").json["id"]
    lost = aeon("process", "run", "visit", "--input", "id=lost", "--tag", "team=blue_%", "--json").json["id"]
    assert ids(aeon) == [lost, red]
    assert ids(aeon, "--tag", "team") == [lost, red]
    assert ids(aeon, "--tag", "team=blue_%") == [lost]
    assert ids(aeon, "--tag", "team=blue") == []
    assert ids(aeon, "--text", "GARDEN") == [red]
    assert ids(aeon, "--text", "404") == [lost]
    assert ids(aeon, "--text", "_%") == [lost]
    assert ids(aeon, "--code", "OperationError") == [lost]
    assert ids(aeon, "--before", "2020-01-01T00:00:00Z") == []
    assert ids(aeon, "--before", "2099-01-01T00:00:00Z", "--since", "1h") == [lost, red]
    assert aeon("log", "list", "--tag", "team=green").err == "nothing matches\n"
    wrong = aeon("process", "run", "visit", "--input", "id=x", "--tag", "red")
    assert wrong.code == 2
    assert "Write --tag NAME=VALUE" in wrong.err


def test_many_runs_are_cancelled_and_retried_together_after_they_were_shown(aeon, applied, shop):
    applied(VISIT)
    waiting = [aeon("process", "run", "visit", "--input", "id=x", "-d", "--tag", "n=1").out.strip() for _ in range(3)]
    refused = aeon("log", "cancel", "--tag", "n=1")
    assert refused.code == 2
    assert all(run in refused.err for run in waiting)
    assert "3 run(s) are cancelled. Nobody can be asked here." in " ".join(refused.err.split())
    assert aeon("log", "cancel", "--tag", "n=1", "--yes").code == 0
    assert aeon("log", "resume", waiting[0]).code == 1
    assert ids(aeon, "--phase", "cancelled") == [waiting[0]]
    assert aeon("log", "cancel").code == aeon("log", "cancel", "last", "--tag", "n").code == 2
    for _ in range(2):
        assert aeon("process", "run", "visit", "--input", "id=lost").code == 1
    shop.calls.clear()
    again = aeon("log", "retry", "--process", "visit", "--code", "OperationError", "--yes", "--json")
    assert again.code == 1  # they fail again: what they call is still not there
    assert [each["phase"] for each in again.json] == ["failed", "failed"]
    assert shop.calls == {"/lost": 2}
    applied(VISIT.replace("visit", "tour"))
    assert aeon("process", "run", "tour", "--input", "id=lost").code == 1
    assert aeon("process", "delete", "tour", "--yes").code == 0
    partly = aeon("log", "retry", "--code", "OperationError", "--since", "1h", "--yes", "--json")
    assert partly.code == 1
    assert partly.err.count("error: ") == 1
    retried = [each["retriedBy"] for each in again.json]
    assert sorted(each["run"] for each in partly.json) == sorted(retried), "no run is retried twice"
    assert aeon("log", "retry", "--text", "nothing of the kind", "--yes").code == 0


def test_a_paused_run_goes_on_when_it_is_resumed(aeon, applied, background, shop):
    applied(VISIT)
    running = background("process", "run", "visit", "--input", "id=slow")
    until(lambda: shop.calls["/slow"] == 1)
    assert aeon("log", "pause", "last").code == 0
    until(lambda: ids(aeon, "--phase", "paused"))
    shop.lets_go.set()
    until(lambda: '"completed"' in aeon("log", "show", "last", "--json").out)
    assert aeon("log", "why", "last", "--json").json[0]["message"] == "The run is paused: resume it."
    assert shop.calls == {"/slow": 1}
    assert running.waited() == 3
    assert "it goes on with: aeon log resume" in running.err
    assert aeon("log", "resume", "last").out == "/slow\n"
    assert shop.calls == {"/slow": 1, "/home": 1}
    assert aeon("log", "pause", "last").code == 2


@pytest.mark.server
def test_a_paused_process_keeps_its_runs_waiting(aeon, applied, background, shop):
    applied(VISIT)
    running = background("process", "run", "visit", "--input", "id=slow")
    until(lambda: shop.calls["/slow"] == 1)
    paused = aeon("process", "pause", "visit")
    assert (paused.code, "visit is paused, with 1 open run(s)" in paused.err) == (0, True)
    until(lambda: ids(aeon, "--phase", "paused"))
    shop.lets_go.set()
    assert running.waited() == 3
    waits = aeon("process", "run", "visit", "--input", "id=attic")
    assert (waits.code, waits.out) == (3, "")
    assert "let it go on: aeon process resume visit" in " ".join(waits.err.split())
    assert "Its process is paused" in aeon("log", "why", "last").out
    assert shop.calls == {"/slow": 1}
    went_on = aeon("process", "resume", "visit")
    assert "visit goes on, with 2 open run(s)" in went_on.err
    assert "Start one: aeon serve worker" in " ".join(went_on.err.split())
    worker = background("serve", "worker")
    until(lambda: len(ids(aeon, "--phase", "completed")) == 2)
    assert shop.calls == {"/slow": 1, "/home": 2, "/attic": 1}
    assert worker.ends(signal.SIGTERM) == 0
    assert "visit is not paused" in aeon("process", "resume", "visit").err
    assert aeon("process", "pause", "missing").code == 2


def test_a_run_says_whom_it_asks_if_that_is_somebody_else_platform_41(aeon, applied, shop):
    applied(ASK)
    asked = aeon("process", "run", "ask")
    told = " ".join(asked.err.split())
    run = aeon("log", "list", "--kind", "process", "-o", "name").out.strip()
    assert asked.code == 3
    assert "waits for you" not in told
    assert f'waits for bob: ask {{ "id": "x" }} only bob can answer: aeon log answer {run} ask yes --user bob' in told
    assert "asks only bob" in aeon("log", "answer", run, "ask", "yes").err
    assert aeon("log", "answer", run, "ask", "yes", "--user", "bob").code == 0
    applied(ASK.replace("    question: {assignee: bob}\n", ""))
    assert "waits for you: ask" in aeon("process", "run", "ask").err


def test_an_answer_does_not_let_a_paused_run_go_on(aeon, applied, shop):
    applied(
        ASK.replace("    question: {assignee: bob}\n", "  - {id: then, tool: item, inputs: {id: home}, output: x}\n")
    )
    assert aeon("process", "run", "ask").code == 3
    assert aeon("log", "pause", "last").code == 0
    assert aeon("log", "answer", "last", "ask", "yes").code == 3
    assert aeon("log", "answer", "last", "ask", "yes").code in (1, 2)
    assert shop.calls == {}
    assert aeon("log", "resume", "last").code == 0
    assert shop.calls == {"/home": 1}


SEND = """
kind: Process
name: send
initialContext: [id]
steps:
  - {id: go, tool: item, inputs: {id: "{id}"}, output: gone}
  - {id: ask, tool: item, inputs: {id: x}, output: said, execution: {interactionMode: manual, timeout: 600}}
  - {id: back, tool: item, inputs: {id: lost}, output: back}
"""


def test_waiting_runs_are_moved_to_the_current_version_and_failed_ones_retried_in_it(aeon, applied, shop):
    """Platform 41: what is done is not done again; what cannot be moved stays, and says why."""
    applied(SEND)
    for name in ("garden", "attic"):
        assert aeon("process", "run", "send", "--input", f"id={name}", "--tag", f"to={name}").code == 3
    waits, failed = ids(aeon, "--tag", "to=garden"), ids(aeon, "--tag", "to=attic")
    assert aeon("log", "answer", failed[0], "ask", "yes").code == 1
    refused = aeon("log", "move", waits[0])
    assert (refused.code, "it is a run of the current version already" in refused.err) == (2, True)
    applied(SEND.replace('"{id}"', '"x{id}"').replace("lost", "home"))
    again = aeon("log", "move", waits[0])
    assert again.code == 2
    assert "step 'go' is completed, and the new version changes its inputs" in " ".join(again.err.split())
    several = aeon("log", "move", "--process", "send", "--yes")
    assert (several.code, f"{waits[0]} stays: step 'go' is completed" in " ".join(several.err.split())) == (1, True)
    assert aeon("log", "retry", failed[0], "--latest").code == 2
    applied(SEND.replace("lost", "home"))
    asked = aeon("log", "move", "--process", "send", "--yes", "--json")
    assert asked.code == 0
    (moved,) = asked.json
    assert (moved["run"], moved["problems"]) == (waits[0], [])
    assert ids(aeon, "--code", "moved") == waits
    assert aeon("log", "answer", moved["movedTo"], "ask", "yes").out.strip() != ""
    assert aeon("log", "retry", waits[0]).code == 2
    assert aeon("log", "retry", failed[0], "--latest").code == 0
    assert shop.calls == {"/garden": 1, "/attic": 1, "/lost": 1, "/home": 2}
    assert aeon("log", "move", moved["movedTo"]).code == 2


@pytest.mark.server
def test_a_moved_run_is_paused_if_it_was_and_goes_on_with_its_process(aeon, applied, background, shop):
    """Paused by its user, it stays paused; paused with its Process, it goes on when that does."""
    applied(SEND)
    for name in ("own", "with"):
        assert aeon("process", "run", "send", "--input", f"id={name}", "--tag", f"is={name}").code == 3
    own, with_process = (ids(aeon, "--tag", f"is={name}")[0] for name in ("own", "with"))
    assert aeon("log", "pause", own).code == 0
    assert aeon("process", "pause", "send").code == 0
    applied(SEND.replace("lost", "home"))
    moved = {}
    for run in (own, with_process):
        moved[run] = aeon("log", "move", run, "--json").json["id"]
        assert aeon("log", "move", run, "--json").json["id"] == moved[run], "again, the same one"
    assert aeon("process", "resume", "send").code == 0
    worker = background("serve", "worker")
    until(
        lambda: aeon("log", "answer", moved[with_process], "ask", "yes", "--no-wait").code == 0,
        lambda: aeon("log", "show", moved[with_process]).out,
    )
    until(lambda: ids(aeon, "--phase", "completed") == [moved[with_process]])
    assert ids(aeon, "--phase", "paused") == [moved[own]]
    assert shop.calls == {"/own": 1, "/with": 1, "/home": 1}
    assert worker.ends(signal.SIGTERM) == 0


def test_a_question_to_somebody_else_is_answered_by_that_user_alone(aeon, applied):
    applied(ASK)
    assert aeon("serve", "user", "create", "bob").code == 0
    assert aeon("process", "run", "ask").code == 3
    (asked,) = aeon("process", "job", "list", "--json", "--user", "bob").json
    assert (asked["type"], asked["step"], asked["asks"]) == ("human", "ask", "bob")
    mine = aeon("log", "answer", "last", "ask", "me")
    assert mine.code == 2
    assert "asks only bob" in mine.err
    hidden = aeon("log", "show", asked["run"], "--user", "bob")
    assert hidden.code == 2
    assert aeon("log", "answer", asked["run"][:8], "ask", "by bob", "--user", "bob").code == 0
    assert aeon("log", "resume", "last").out == "by bob\n"
    assert aeon("process", "job", "list", "--json", "--user", "bob").json == []
