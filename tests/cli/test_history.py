"""`aeon log`: one history of requests, plans of skills and Processes; ids, their beginnings, paths and `last`."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from aeon.observability.log import JsonlLog, read_log
from aeon.skills.plan_json import ExecutionResult, ExecutionState, ToolErrorJson, ToolResult

TRACE = ExecutionResult(
    plan_id="p1",
    success=False,
    narrative="roll dice",
    execution_trace=[
        ToolResult(
            tool_id="a",
            tool_path="dice-roller/roll",
            ok=False,
            state=ExecutionState.FAILED,
            error=ToolErrorJson(type="exit", message="it ended with code 3"),
        )
    ],
)


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


@pytest.fixture
def logs(monkeypatch):
    """A folder of logs that the test writes itself."""
    folder = Path("logs")
    folder.mkdir()
    monkeypatch.setenv("AEON_RUN_LOG_DIR", "logs")
    return folder


def entry(steps, outcome=None, **more):
    """A line of a log, of which a list needs only this."""
    state = {"goal": "g", "steps": [{"step_id": name, "status": status} for name, status in steps.items()]}
    done = None if outcome is None else {"step_id": outcome[0], "status": outcome[1]}
    return json.dumps({"plan_state": {**state, **more}, "run": {"request": "do it"}, "outcome": {"step": done}}) + "\n"


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        ([entry({})], "failed"),
        ([entry({"a": "pending"})], "unfinished"),
        ([entry({"a": "pending"}), entry({"a": "pending"}, ("a", "complete"))], "completed"),
        ([entry({"a": "pending"}), entry({"a": "pending"}, ("a", "complete"))[:-9]], "unfinished"),
        (
            [entry({"a": "pending", "b": "pending"}), entry({"a": "failed", "b": "pending"}, ("b", "complete"))],
            "failed",
        ),
        ([entry({"a": "pending"})[:-1]], "unreadable"),
    ],
)
def test_the_state_of_a_log_is_that_of_its_last_whole_line(aeon, logs, lines, state):
    (logs / "20261125-000000-aa.jsonl").write_text("".join(lines))
    listed = aeon("log", "list")
    assert listed.cells("STATE", "WHAT") == [(state, "" if state == "unreadable" else "do it")]


def test_a_log_of_a_long_plan_is_read_wholly_for_its_state(aeon, logs):
    """Core 12: the entries of a long plan name only the steps that changed."""
    lines = [
        entry({"a": "pending", "b": "pending"}),
        entry({}, ("a", "complete"), partial=True),
        entry({"a": "complete"}, ("b", "complete"), partial=True),
    ]
    for count, name in ((3, "20261125-000001-aa"), (2, "20261125-000000-aa")):
        (logs / f"{name}.jsonl").write_text("".join(lines[:count]))
    listed = aeon("log", "list")
    assert listed.cells("STATE") == [("completed",), ("unfinished",)]


def test_a_list_does_not_read_the_middle_of_a_log(aeon, logs):
    """What lies between the first and the last line is not even text here."""
    whole = entry({"a": "pending"}).encode() + b"\xff" * 500_000 + b"\n"
    last = entry({"a": "pending", "pad": "complete"}, ("a", "complete")).encode()
    (logs / "20261125-000000-aa.jsonl").write_bytes(whole + last.rstrip() + b" " * 200_000 + b"\n")
    assert aeon("log", "list").cells("STATE") == [("completed",)]


def test_events_are_lines_of_json(aeon, ran):
    lines = aeon("log", "events", ran[0], "--after", "1").out.splitlines()
    assert [json.loads(line)["step_number"] for line in lines] == [2, 3]


@pytest.fixture
def trace(aeon):
    """The id of a plan of skills that failed."""
    folder = Path(".aeon/logs")
    assert aeon("doctor", "--quick").code in (0, 1)
    folder.mkdir(parents=True, exist_ok=True)
    Path(folder, "skills-20261125-004319-abcdef.json").write_text(json.dumps(TRACE.as_dict()))
    return "skills-20261125-004319-abcdef"


def test_a_plan_of_skills_is_in_the_same_history(aeon, trace):
    assert aeon("log", "list").cells("ID", "KIND", "STATE", "WHAT") == [(trace, "skill", "failed", "roll dice")]
    assert 'a failed: "it ended with code 3"' in aeon("log", "show", "skills").out
    assert json.loads(aeon("log", "events", trace).out)["toolId"] == "a"
    assert aeon("log", "replay", trace, "--json").json == {"same": True, "finalState": {}}


@pytest.mark.parametrize("verb", ["why", "cancel", "resume", "retry", "verify"])
def test_what_a_plan_of_skills_cannot_do_is_refused(aeon, trace, verb):
    ended = aeon("log", verb, trace)
    assert (ended.code, "is a plan of skills" in ended.err, "next:" in ended.err) == (2, True, True)


@pytest.mark.slow
def test_a_run_of_a_process_is_in_the_same_history(aeon, plan_file):
    process = "kind: Process\nname: wait\nsteps:\n  - {id: sure, tool: my_things, output: things, inputs: {words: tea}, execution: {interactionMode: manual}}\n"
    Path("wait.yaml").write_text(process)
    assert aeon("init").code == 0
    assert aeon("apply", "-f", "wait.yaml").code == 0
    assert aeon("run", "--plan", plan_file).code == 0
    assert aeon("process", "run", "wait").code == 3
    kinds = aeon("log", "list").cells("KIND", "STATE")
    assert sorted(kinds) == [("process", "running"), ("request", "completed")]
    ((id_,),) = aeon("log", "list", "--kind", "process").cells("ID")
    assert aeon("log", "list", "--phase", "running", "-o", "name").out == f"{id_}\n"
    assert aeon("log", "show", id_[:8]).out == aeon("log", "show", id_).out
    for verb in ("verify", "replay", "delete"):
        ended = aeon("log", verb, id_[:8], *(["--yes"] if verb == "delete" else []))
        assert (ended.code, "is a run of a Process" in " ".join(ended.err.split())) == (2, True)
    assert aeon("log", "cancel", "last").code == 0


@pytest.mark.slow
def test_why_cuts_a_web_page_on_a_terminal_and_says_how_to_see_it_whole(aeon, terminal):
    """In a pipe, nothing is cut."""
    plan = {"goal": "x", "steps": [{"step_id": "a", "description": "divide", "tool": "calculator"}]}
    plan["steps"][0]["arguments"] = {"expression": "1/0"}
    Path("plan.json").write_text(json.dumps(plan))
    assert aeon("run", "--plan", "plan.json", "--log", "first.jsonl").code == 1
    page = "The service answered 500: <html>" + "<p>no luck</p>\n" * 200 + "</html>"
    with closing(JsonlLog("run.jsonl")) as log:
        for entry in read_log("first.jsonl").entries:
            log.append({**entry, "errors": [{**each, "message": page} for each in entry["errors"]]})
    code, screen = terminal("log", "why", "run.jsonl")
    assert (code, "a: The service answered 500: <html>" in screen, "</html>" in screen) == (0, True, False)
    assert "see them whole with: aeon log why run.jsonl -o json" in " ".join(screen.split())
    assert "</html>" in aeon("log", "why", "run.jsonl").out
