"""`aeon run -q` and `-v`, and what is told about an answer without a plan."""

import json
from pathlib import Path

import pytest

from aeon.testing.wire_rules import ErrorResponse, StalledResponse

QUESTION = "What is the capital of France?"


def test_quiet_prints_the_answer_only(aeon, double):
    double("Paris.")
    ended = aeon("run", "-q", QUESTION)
    assert (ended.code, ended.out, ended.err) == (0, "Paris.\n", "")


def test_quiet_keeps_warnings_about_trust(aeon, double):
    step = {"step_id": "a", "description": "say the weather", "tool": "weather", "arguments": {}}
    Path("p.json").write_text(json.dumps({"goal": "weather", "steps": [step]}))
    double(*["Sunny."] * 4)
    ended = aeon("run", "-q", "--plan", "p.json", "--allow-fallback")
    assert ended.code == 4, ended.err
    assert "not trusted" in ended.err
    assert "log: " not in ended.err


def test_quiet_keeps_errors(aeon, double):
    double(ErrorResponse(400, "no"))
    ended = aeon("run", "-q", QUESTION)
    assert (ended.code, ended.out) == (1, "")
    assert "error: " in ended.err


def test_verbose_names_the_tools_that_the_planner_is_offered(aeon, double, add):
    double(add)
    ended = aeon("run", "-v", "Add 15*23 and 7, then remember it as sum.")
    assert ended.code == 0, ended.err
    assert "the planner is offered: calculator, " in " ".join(ended.err.split())


def test_verbose_says_that_code_made_the_plan(aeon, double, plan_file):
    double("Paris.")
    assert "code made the plan" in aeon("run", "-v", QUESTION).err
    assert "code made the plan" not in aeon("run", "-v", "--plan", plan_file).err, "the user did"


def test_quiet_and_verbose_contradict_each_other(aeon):
    assert aeon("run", "-q", "-v", QUESTION).code == 2


def test_an_answer_without_a_plan_is_told_without_one(aeon, double):
    double("Paris.")
    told = aeon("run", QUESTION).err
    assert told.startswith("the model answers\n")
    assert "plan" not in told
    assert "step" not in told


@pytest.mark.slow
def test_the_screen_says_at_once_that_the_model_reads_and_for_how_long(terminal, double):
    double(StalledResponse())
    code, seen = terminal("run", QUESTION, until="the model reads, 1 s")
    assert code == 130
    assert "planning" not in seen
    assert "the model answers" in seen
