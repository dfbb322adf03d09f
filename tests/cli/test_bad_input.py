"""Bad input: a clear message with the next step, code 2, no trace, nothing left behind."""

import json
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

BOMB = "\n".join(
    [
        "a: &a [x, x, x, x, x, x, x, x, x]",
        *(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghij")),
    ]
)
STEP = {"step_id": "s1", "description": "add", "tool": "calculator", "arguments": {"expression": "1+1"}}


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        (b"", "The request is empty."),
        (b" \n\t ", "The request is empty."),
        (b"\xff\xfe\x00\x80" * 50, "not text (UTF-8)"),
        (b"abc\x00def", "looks like a binary file"),
        (b"x" * 20_001, "more than 20,000 characters"),
        (b"\xc3\xbc" * 5_000_000, "more than 20,000 characters"),
    ],
    ids=["empty", "blank", "binary", "nul", "long", "gigantic"],
)
def test_a_request_that_is_none(aeon, double, stdin, said, add):
    server = double(add)
    ended = aeon("run", "-", stdin=stdin)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert not server.requests


def test_no_request_at_all_says_how_to_give_one(aeon):
    ended = aeon("run")
    assert ended.code == 2
    assert "--plan FILE" in ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["is empty"]),
        ("{", ["neither JSON nor YAML"]),
        ("goal: &a [*a]", ["alias"]),
        ('{"goal": "g", "goal": "h"}', ["appears twice"]),
        (json.dumps({"goal": "g", "steps": [STEP, STEP]}), ["is also the id of $.steps[0]"]),
        (
            json.dumps({"goal": "", "steps": [{**STEP, "toool": "x", "arguments": {"a": "{step.s9.x}"}}], "more": 1}),
            ["$.goal: must not be empty", "$.steps[0].toool", "$.more", "does not name a step"],
        ),
        (json.dumps({"goal": "g", "steps": [{**STEP, "arguments": {"a": "{step.s1.x}"}}]}), ["its own step"]),
        (json.dumps([1, 2]), ["$"]),
        (BOMB, ["alias"]),
        ("goal: !!python/object/apply:os.system ['true']", ["is not allowed"]),
        ("[" * 50_000, ["p.json"]),
        ("goal: " + "x" * 10_000_001, ["characters"]),
        (
            json.dumps(
                {
                    "goal": "g",
                    "steps": [
                        {**STEP, "arguments": {"a": "{step.s2.x}"}},
                        {**STEP, "step_id": "s2", "arguments": {"a": "{step.s1.x}"}},
                    ],
                }
            ),
            ["$.steps[0].arguments.a", "refers to a later step"],
        ),
        (json.dumps({"goal": "\x1b[2J", "steps": [STEP]}), ["$.goal is not a valid request"]),
    ],
)
def test_a_plan_that_is_none_has_every_problem_named_before_anything_runs(aeon, text, said):
    Path("p.json").write_text(text)
    ended = aeon("run", "--plan", "p.json")
    assert (ended.code, ended.out) == (2, "")
    for words in said:
        assert words in ended.err
    assert not Path(".aeon").exists()


@pytest.mark.parametrize("path", ["missing.json", "."])
def test_a_plan_that_cannot_be_read(aeon, path):
    ended = aeon("run", "--plan", path)
    assert ended.code == 2
    assert "cannot be read" in ended.err


@given(st.binary(max_size=300))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.slow
def test_no_plan_file_brings_a_trace(aeon, data):
    Path("p.json").write_bytes(data)
    ended = aeon("run", "--plan", "p.json", "--no-input")
    assert ended.code == 2
    assert "unexpected error" not in ended.err


def test_usage_errors_are_code_2_and_json_where_asked_for(aeon):
    ended = aeon("run", "hello", "--jsn")
    assert ended.code == 2
    assert "No such option: --jsn" in ended.err
    asked = aeon("rnu", "--json")
    assert asked.code == 2
    assert asked.json["error"]["type"] == "UsageError"


def test_errors_are_json_where_asked_for(aeon):
    ended = aeon("tool", "show", "calculater", "--json")
    assert ended.code == 2
    assert ended.json["error"]["message"] == "There is no tool 'calculater'. Did you mean 'calculator'?"
    assert ended.json["error"]["next_step"] == "See `aeon tool list`."


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["rnu", "--json"], "usage"),
        (["tool", "show", "calculater", "--json"], "not_found"),
        (["log", "show", "nothing", "--json"], "input"),
        (["tool", "call", "nothing", "--json"], "not_found"),
        (["run", "--plan", "nothing.json", "--json"], "plan"),
        (["skill", "show", "nothing", "--json"], "input"),
    ],
)
def test_every_error_as_json_has_a_code_an_id_and_a_time(aeon, line, code):
    """Platform 2."""
    error = aeon(*line).json["error"]
    assert (error["code"], error["details"]["retryable"]) == (code, False)
    assert len(error["correlationId"]) == 32
    assert datetime.fromisoformat(error["timestamp"]).utcoffset() == timedelta(0)


def test_an_existing_log_is_never_overwritten(aeon, plan_file):
    Path("run.jsonl").write_text("mine")
    ended = aeon("run", "--plan", plan_file, "--log", "run.jsonl")
    assert ended.code == 1
    assert "exists already" in ended.err
    assert Path("run.jsonl").read_text() == "mine"


def test_a_place_for_the_log_that_cannot_be_written(aeon, plan_file):
    ended = aeon("run", "--plan", plan_file, "--log", "/proc/nowhere/run.jsonl")
    assert ended.code == 1
    assert "--log" in ended.err


def test_a_full_disk_is_an_error_and_not_a_trace(plan_file, process):
    ended = process("run", "--plan", plan_file, "--log", "/dev/full")
    assert ended.code == 1
    assert "Traceback" not in ended.err


def test_a_defect_is_told_shortly_and_its_trace_kept_without_secrets(aeon, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-hidden-value")
    monkeypatch.setattr("aeon.cli.platform.tool_lists.list_tools", lambda *_, **__: 1 / len([]) if True else "sk")
    ended = aeon("tool", "list")
    assert ended.code == 1
    assert "Traceback" not in ended.err
    traces = list(Path(".aeon/logs").glob("crash-*.txt"))
    assert len(traces) == 1
    assert "ZeroDivisionError" in traces[0].read_text()
    assert str(traces[0]) in ended.err


def test_secrets_of_the_environment_are_not_in_a_trace():
    from aeon.cli.crash_reports import mask_secrets

    text = mask_secrets("key sk-hidden-value in a url", {"MY_API_KEY": "sk-hidden-value", "HOME": "url"})
    assert text == "key [hidden] in a url"
