"""`aeon log`: one history of requests, plans of skills and Processes; ids, their beginnings, paths and `last`."""

import json
from pathlib import Path

import pytest

SKILL_PLAN = {
    "planId": "p1",
    "narrative": "roll",
    "tools": [{"toolId": "a", "toolPath": "dice-roller/roll", "parameters": {"dice": "1d6"}}],
}


@pytest.fixture
def ran(aeon, plan_file):
    """The ids of two requests, oldest first."""
    for _ in range(2):
        assert aeon("run", "--plan", plan_file).code == 0
    return sorted(path.stem for path in Path(".aeon/logs").glob("*.jsonl"))


def test_an_empty_history_says_how_to_begin_and_makes_nothing(aeon):
    ended = aeon("log", "list")
    assert (ended.code, ended.out, "nothing ran yet" in ended.err) == (0, "", True)
    assert aeon("log", "show", "last").code == 2
    assert not Path(".aeon").exists()


def test_requests_are_listed_newest_first(aeon, ran):
    listed = aeon("log", "list")
    assert sorted(listed.cells("ID")) == [(each,) for each in ran]
    assert listed.cells("KIND", "STATE", "WHAT") == [("request", "completed", "add two numbers and say so")] * 2
    page = aeon("log", "list", "--limit", "1")
    cursor = page.err.split("--after")[1].split()[0]
    assert page.cells("ID") + aeon("log", "list", "--after", cursor).cells("ID") == listed.cells("ID")


@pytest.mark.parametrize("verb", ["show", "events", "why", "verify", "replay"])
def test_a_request_is_named_by_its_id_the_beginning_its_path_or_last(aeon, ran, verb):
    path = f".aeon/logs/{ran[0]}.jsonl"
    outs = [aeon("log", verb, name) for name in (ran[0], ran[0][:-2], path)]
    assert [each.code for each in outs] == [0, 0, 0]
    assert len({each.out for each in outs}) == 1
    assert aeon("log", verb, "last").code == 0


def test_an_ambiguous_beginning_lists_what_it_may_be(aeon, ran):
    ended = aeon("log", "show", ran[0][:4])
    told = " ".join(ended.err.split())
    assert ended.code == 2
    assert all(each in told for each in ran)


def test_what_a_kind_cannot_do_is_refused_with_what_to_do(aeon, ran):
    for verb in ("cancel", "retry"):
        ended = aeon("log", verb, ran[0])
        assert (ended.code, "is a request" in " ".join(ended.err.split()), "next:" in ended.err) == (2, True, True)
    assert aeon("log", "answer", ran[0], "step", "yes").code == 2


@pytest.mark.parametrize("verb", ["show", "verify", "replay", "resume", "why"])
def test_a_file_that_is_no_log_is_told_as_such(aeon, verb):
    """Measured U9: it was said to be changed or damaged."""
    Path("notes.jsonl").write_text("not a log\n")
    ended = aeon("log", verb, "notes.jsonl")
    assert (ended.code, "is neither the log of a request nor the trace" in " ".join(ended.err.split())) == (2, True)
    assert aeon("log", verb, "lost.jsonl").code == 2


def test_logs_are_deleted_only_when_it_is_confirmed(aeon, ran):
    refused = aeon("log", "delete", ran[0])
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert aeon("log", "delete", ran[0], "nothing", "--yes").code == 2
    assert len(aeon("log", "list").cells("ID")) == 2
    assert aeon("log", "delete", ran[0], "--yes").code == 0
    assert aeon("log", "list").cells("ID") == [(ran[1],)]


def test_a_damaged_log_is_listed_as_one_that_cannot_be_read(aeon, ran):
    Path(f".aeon/logs/{ran[0]}.jsonl").write_text("{}\n")
    states = dict(aeon("log", "list").cells("ID", "STATE"))
    assert states == {ran[0]: "unreadable", ran[1]: "completed"}


def test_events_are_lines_of_json(aeon, ran):
    lines = aeon("log", "events", ran[0], "--after", "1").out.splitlines()
    assert [json.loads(line)["step_number"] for line in lines] == [2, 3]
