"""`aeon process check`, `new`, `test` and `run --dry-run`: Processes as files that a person writes."""

import json
import time

import pytest

GOOD = "kind: Process\nname: greet\ninitialContext: [who]\nsteps:\n  - {id: rest, wait: PT1S, output: rested}\n"


@pytest.fixture
def written(tmp_path):
    def write(text, name="greet.yaml"):
        file = tmp_path / name
        file.write_text(text)
        return file

    return write


def test_a_file_is_checked_and_no_record_is_made(aeon, written, tmp_path):
    good = aeon("process", "check", written(GOOD))
    assert (good.code, good.out, good.err) == (0, "", "1 document(s), 0 fault(s)\n")
    file = written(GOOD.replace("wait: PT1S", "tool: nothing"))
    bad = aeon("process", "check", file)
    assert bad.code == 2
    assert bad.out == f"{file}:5:16: error: $.steps[0].tool: there is no tool 'nothing', or you cannot see it\n"
    offline = aeon("process", "check", file, "--offline", "--json")
    assert (offline.code, offline.json["valid"], offline.json["faults"][0]["isWarning"]) == (0, True, True)
    assert not (tmp_path / ".aeon").exists()
    assert aeon("process", "check", tmp_path / "none.yaml").code == 2


def test_a_field_that_is_probably_misspelt_is_warned_of_and_does_not_hinder(aeon, written):
    inputs = "inputs: {order: {type: object, properties: {customer: {}}}}"
    file = written(
        f"kind: Process\nname: odd\n{inputs}\nsteps:\n  - {{id: rest, wait: '{{order.custmer}}', output: r}}\n"
        "  - {id: ask, tool: recall, inputs: {key: '{order.custmer}'}, output: k}\n"
    )
    checked = aeon("process", "check", file)
    assert (checked.code, checked.err) == (0, "1 document(s), 0 fault(s), 2 warning(s)\n")
    assert checked.out.count("did you mean 'customer'?") == 2
    assert aeon("init").code == 0
    applied = aeon("apply", "-f", file)
    assert (applied.code, applied.out) == (0, "+ Process odd\n")
    assert " ".join(applied.err.split()).count("does not declare 'custmer'; did you mean 'customer'?") == 2
    assert len(aeon("apply", "-f", file, "--dry-run", "--json").json["steps"][0]["warnings"]) == 2
    shown = aeon("process", "show", "odd", "--json")
    assert (shown.code, shown.json["name"]) == (0, "odd")
    assert " ".join(shown.err.split()).count("does not declare 'custmer'; did you mean 'customer'?") == 2


def test_a_new_process_is_printed_or_written_and_can_be_checked_and_applied(aeon, tmp_path):
    file = tmp_path / "mine.yaml"
    made = aeon("process", "new", "mine", "-f", file)
    assert (made.code, made.out) == (0, "")
    assert aeon("process", "new", "mine").out == file.read_text()
    again = aeon("process", "new", "mine", "-f", file)
    assert (again.code, "File exists" in again.err) == (2, True)
    assert aeon("process", "check", file).code == 0
    assert aeon("process", "new", " mine").code == 2


def test_editors_get_the_schema_of_a_process(aeon):
    schema = aeon("config", "schema", "process", "-o", "json").json
    assert schema["properties"]["kind"]["const"] == "Process"


def test_a_dry_run_says_what_would_be_called_and_starts_nothing(aeon, written):
    file = written(
        GOOD
        + "  - {id: keep, tool: remember, inputs: {key: '{who}', value: '{step.rested}'}, output: k, dependsOn: [rest]}\n"
    )
    assert aeon("init").code == 0
    assert aeon("apply", "-f", file).code == 0
    dry = aeon("process", "run", "greet", "--input", "who=Ann", "--dry-run")
    assert (dry.code, dry.err) == (0, "nothing was started\n")
    assert dry.out.splitlines() == [
        "1. rest: wait PT1S",
        "2. keep: tool remember",
        '     inputs { "key": "Ann", "value": "{step.rested}" }',
        "     known later: step.rested of rest",
    ]
    steps = aeon("process", "run", "greet", "--input", "who=Ann", "--dry-run", "--json").json["steps"]
    assert [each["step"] for each in steps] == ["rest", "keep"]
    assert aeon("process", "run", "greet", "--dry-run").code == 2
    assert aeon("log", "list", "-o", "json").json == []


INNER = """\
kind: Process
name: inner
initialContext: [key]
steps:
  - {id: get, tool: recall, inputs: {key: "{key}"}, output: got}
---
"""
TESTED = """\
kind: Process
name: tested
inputs: {who: {type: string}, rows: {type: array, default: [1, 2]}}
steps:
  - {id: keep, tool: remember, inputs: {key: "{who}", value: 1}, output: k, compensate: {tool: remember, inputs: {key: "{who}", value: null}}}
  - {id: each, process: inner, inputs: {key: "row {= string(row)}"}, forEach: {items: "{rows}", as: row}, output: found}
  - {id: rest, wait: PT1S, output: rested}
  - {id: ask, tool: remember, inputs: {key: q, value: 1}, output: said, execution: {interactionMode: manual}}
  - {id: last, tool: recall, inputs: {key: "{step.said}"}, output: end, dependsOn: [ask]}
outputTemplate: "{{who}} {{step.said}}"
"""
CASES = f"""\
process: tested
cases:
  - {{name: good, inputs: {{who: Ann}}, answers: {{ask: fine}}, expect: {{output: Ann fine}}}}
  - {{name: bad, inputs: {{who: Bob}}, answers: {{ask: "{"x" * 201}"}}, expect: {{failure: {{code: input_valid}}}}}}
"""


@pytest.fixture
def tested(aeon, written):
    """The file of a test whose calls were recorded."""
    assert aeon("init").code == 0
    assert aeon("apply", "-f", written(INNER + TESTED)).code == 0
    file = written(CASES, "tested.test.yaml")
    recorded = aeon("process", "test", file, "--record")
    assert recorded.code == 0, recorded.out
    return file


@pytest.mark.slow
def test_recorded_cases_are_replayed_without_a_call_and_without_waiting(aeon, tested):
    """Loops, called Processes, people, compensations and failures come out as they did; no run is in the record."""
    before = aeon("log", "list", "-o", "json").json
    began = time.monotonic()
    replayed = aeon("process", "test", tested)
    assert (replayed.code, replayed.out) == (0, "passed: good\npassed: bad\n")
    assert time.monotonic() - began < 5
    assert aeon("log", "list", "-o", "json").json == before
    recording = json.loads(tested.with_name("tested.test.recording.json").read_text())
    assert set(recording["good"]) == {"keep:1", "each:1:each[0]:1:get:1", "each:1:each[1]:1:get:1", "last:1"}
    assert "undo_keep:1" in recording["bad"]


@pytest.mark.slow
def test_what_differs_from_the_recording_is_said(aeon, tested, written):
    assert aeon("apply", "-f", written(INNER + TESTED.replace("row {=", "line {="))).code == 0
    changed = aeon("process", "test", tested, "--json")
    assert (changed.code, changed.json["passed"]) == (1, False)
    assert changed.json["cases"][0]["faults"] == [
        'each:1:each[0]:1:get:1: recall is called with other inputs: key was "row 1" and is "line 1"'
    ]
    more = TESTED.replace("outputTemplate", "  - {id: new, tool: recall, inputs: {key: x}, output: n}\noutputTemplate")
    assert aeon("apply", "-f", written(INNER + more)).code == 0
    assert (
        'new:1: no such call of recall is recorded; its inputs are {"key":"x"}' in aeon("process", "test", tested).out
    )


@pytest.mark.slow
def test_a_case_that_is_not_as_expected_fails(aeon, tested):
    tested.write_text(CASES.replace("Ann fine", "Ann gr\u00fcn").replace("input_valid", "OtherError"))
    failed = aeon("process", "test", tested)
    assert failed.code == 1
    assert 'the output is "Ann fine", and "Ann gr\u00fcn" was expected' in failed.out
    assert "and OtherError was expected" in failed.out
    tested.write_text(CASES.replace("answers: {ask: fine}, ", ""))
    unanswered = "The step 'ask' asks a person, and the case 'good' has no answer."
    assert unanswered in aeon("process", "test", tested).out
    assert unanswered in " ".join(aeon("process", "test", tested, "--record").err.split())
    tested.write_text(CASES.replace("name: bad", "name: good"))
    assert aeon("process", "test", tested).code == 2
    tested.write_text(CASES.replace("expect: {output", "expects: {output"))
    assert "expects" in aeon("process", "test", tested).err
    tested.write_text(CASES.replace("process: tested", "process: nothing"))
    assert aeon("process", "test", tested).code == 2


SECTIONS = """\
kind: Process
name: careful
steps:
  - {id: note, tool: recall, inputs: {key: a}, output: noted}
"""
ADDED = """\
inputs: {who: {type: string, default: Ann}}
onFailure:
  - {id: tell, tool: recall, inputs: {key: failed}, output: told}
finally:
  - {id: tidy, tool: recall, inputs: {key: "{who}"}, output: tidied}
"""


@pytest.mark.slow
def test_inputs_and_sections_are_added_replayed_and_removed(aeon, written):
    assert aeon("init").code == 0
    for text in (SECTIONS, SECTIONS + ADDED):
        applied = aeon("apply", "-f", written(text))
        assert applied.code == 0, applied.err
    file = written("process: careful\ncases: [{name: once}]\n", "careful.test.yaml")
    recorded = aeon("process", "test", file, "--record")
    assert recorded.code == 0, recorded.out
    assert aeon("process", "test", file).out == "passed: once\n"
    removed = aeon("apply", "-f", written(SECTIONS))
    assert removed.code == 0
    assert "finally" in removed.out


CIRCLE = """\
kind: Process
name: ping
inputs: {n: {type: integer}}
steps:
  - {id: note, tool: recall, inputs: {key: "ping {= string(n)}"}, output: noted}
---
kind: Process
name: pong
inputs: {n: {type: integer}}
steps:
  - {id: back, process: ping, inputs: {n: "{= n - 1}"}, output: end, execution: {condition: "n > 0"}}
outputTemplate: "{{n}}"
"""
CALLS_PONG = '  - {id: further, process: pong, inputs: {n: "{n}"}, output: end}\n'


@pytest.mark.slow
def test_processes_that_call_each_other_are_replayed(aeon, written):
    assert aeon("init").code == 0
    assert aeon("apply", "-f", written(CIRCLE)).code == 0
    assert aeon("apply", "-f", written(CIRCLE.replace("---\n", CALLS_PONG + "---\n"))).code == 0
    file = written("process: ping\ncases: [{name: twice, inputs: {n: 1}}]\n", "ping.test.yaml")
    recorded = aeon("process", "test", file, "--record")
    assert recorded.code == 0, recorded.out
    replayed = aeon("process", "test", file)
    assert (replayed.code, replayed.out) == (0, "passed: twice\n")
