"""`aeon process check`, `new`, `test` and `run --dry-run`: Processes as files that a person writes."""

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
