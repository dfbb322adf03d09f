"""A number that is the text of an input: `--input customer=12`, where the Process or the tool takes a text."""

import pytest

pytestmark = pytest.mark.server

GREET = """
kind: Process
name: greet
inputs: {customer: {type: string, minLength: 2}, limit: {type: number, default: 1}}
steps:
  - {id: wait, wait: 0, output: waited}
outputTemplate: "customer {{customer}}, {{limit}}"
"""
GIVEN = ("--input", "customer=12", "--input", "limit=0.5")


def test_a_process_is_run_with_it(aeon, applied):
    applied(GREET)
    assert aeon("process", "run", "greet", *GIVEN).out == "customer 12, 0.5\n"
    assert aeon("process", "run", "greet", *GIVEN, "--dry-run").code == 0
    detached = aeon("process", "run", "greet", *GIVEN, "--detach").out.strip()
    assert aeon("log", "show", detached, "--json").json["inputs"] == {"customer": "12", "limit": 0.5}


def test_a_list_is_taken_from_a_file(aeon, applied, tmp_path):
    applied(GREET.replace("customer: {type: string, minLength: 2}", "customer: {type: array}"))
    (tmp_path / "names.json").write_text('["Ann"]')
    named = ("--input", f"customer@{tmp_path}/names.json")
    assert aeon("process", "run", "greet", *named).out == 'customer ["Ann"], 1\n'
    wrong = aeon("process", "run", "greet", "--input", "customer=@names.json")
    assert (wrong.code, "write --input customer@names.json" in " ".join(wrong.err.split())) == (2, True)


def test_a_schedule_and_an_alert_keep_it(aeon, applied):
    applied(GREET)
    aeon("process", "schedule", "create", "daily", "greet", "--cron", "0 8 * * *", *GIVEN)
    assert aeon("process", "schedule", "show", "daily").json["inputs"] == {"customer": "12", "limit": 0.5}
    aeon("process", "alert", "create", "often", "greet", "--metric", "process.failures", "--when", ">= 3", *GIVEN)
    assert aeon("process", "alert", "show", "often").json["inputs"] == {"customer": "12", "limit": 0.5}


def test_a_stored_tool_is_called_with_it(aeon, applied):
    applied(GREET)
    assert aeon("tool", "call", "item", "--input", "id=12").code == 0
